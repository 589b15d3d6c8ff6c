"""Where the time of an investigation went: a row and a bar for each turn, and the share of each kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fastagent.report.html import Html, joined, shown, table, tag
from fastagent.report.text import seconds

_HEADS = (
    ("turn", "n"), ("node", ""), ("tier", ""), ("in", "n"), ("cached", "n"), ("out", "n"), ("TTFT", "n"),
    ("decode", "n"), ("tools", ""), ("wall", "n"), ("since start", "n"), ("", ""),
)  # fmt: skip


def latency(timing: Mapping[str, Any]) -> Html:
    """The turn table and what it adds up to; nothing where nothing was measured."""
    turns, wall_s = timing.get("turns", ()), timing.get("wall_s", 0.0)
    if not timing or not wall_s:
        return Html("")
    rows = table(_HEADS, (_row(turn, wall_s) for turn in turns))
    return joined([rows, tag("p", shown(_sum(timing))), tag("p", shown(_shares(timing)), class_="small quiet")])


def _row(turn: Mapping[str, Any], wall_s: float) -> list[Html]:
    cells = [
        turn["number"], turn["node"], turn["tier"], f"{turn['input_tokens']:,}", f"{turn['cached_tokens']:,}",
        f"{turn['output_tokens']:,}", seconds(turn["ttft_s"]), seconds(turn["decode_s"]), _counted(turn["tools"]),
        seconds(turn["wall_s"]), seconds(turn["cumulative_s"]),
    ]  # fmt: skip
    return [*map(shown, cells), _bar(turn["start_s"] / wall_s, turn["wall_s"] / wall_s)]


def _counted(tools: Sequence[str]) -> str:
    return ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in Counter(tools).items())


def _bar(start: float, length: float) -> Html:
    left = min(max(start, 0.0), 1.0)
    return tag("div", tag("i", style=f"left:{left:.2%};width:{min(max(length, 0.0), 1 - left):.2%}"), class_="lane")


def _sum(timing: Mapping[str, Any]) -> str:
    waited_s, overrun_s = timing.get("queued_s", 0.0), timing.get("overrun_s", 0.0)
    kept = f"missed by {seconds(overrun_s)}" if overrun_s else "kept"
    emulated = ", ".join(f"{seconds(s)} on {tier}" for tier, s in sorted(timing.get("emulated_s", {}).items()))
    words = [
        f"{seconds(timing['wall_s'])} of work after {seconds(waited_s)} in the queue",
        f"SLA {seconds(timing.get('sla_s', 0.0))} {kept}",
        f"efficiency {timing.get('efficiency', 0.0):.2f}",
    ]
    return "; ".join(words) + (f". The same loop, emulated: {emulated}." if emulated else ".")


def _shares(timing: Mapping[str, Any]) -> str:
    wall_s = timing["wall_s"]
    kinds = sorted(timing.get("by_kind", {}).items(), key=lambda pair: -pair[1])
    return ", ".join(f"{kind} {seconds(s)} ({s / wall_s:.0%})" for kind, s in kinds)
