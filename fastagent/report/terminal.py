"""The report for a terminal: the answer first, then what carries it, then where the time went."""

import io
from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fastagent.report.text import change_of, clean, seconds
from fastagent.state import Report

_COLOUR = {"CONFIRMED": "bold green", "LIKELY": "bold yellow", "INCONCLUSIVE": "bold magenta"}
MOST_TITLE_CHARS = 300
_BAR_WIDTH = 8  # characters of the cumulative curve
_MAX_KEY_LINES = 8


def render(report: Report, *, width: int = 100, colour: bool = False) -> str:
    """The report as text of at most `width` columns."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for part in _parts(report):
        console.print(part)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _parts(report: Report) -> list[RenderableType]:
    parts: list[RenderableType] = [_answer(report)]
    if report.logs.get("lines"):
        parts.append(_logs(report.logs))
    if report.evidence:
        parts.append(_evidence(report))
    parts += _list("Change", [told] if (told := change_of(report)) else [])
    parts += _list("Causal chain", report.causal_chain)
    parts += _list("Ruled out", report.ruled_out)
    parts += _list("Not seen", [f"{g.source}: {g.reason}" for g in report.gaps])
    parts += _remediation(report)
    parts += _list("On the way", report.notes)
    parts.append(_latency(report))
    return parts


def _answer(report: Report) -> RenderableType:
    cause = report.root_cause
    head = Text(clean(str(report.incident["title"]))[:MOST_TITLE_CHARS] + "\n", style="dim")
    if cause is None:
        head.append("No fault found in what was read", style="bold green")
        head.append(f"  {report.status}")
        return Group(head, Text(""))
    head.append(clean(cause.component) or "unknown cause", style="bold")
    head.append("  " + cause.category)
    head.append(f"  {cause.verdict} {cause.confidence:.2f}", style=_COLOUR[cause.verdict])
    if report.status != "complete":
        head.append(f"  {report.status}", style="bold red")
    if cause.label:
        head.append(f"  playbook {cause.label}", style="dim")
    return Group(head, Text(clean(cause.statement)), Text(""))


def _logs(logs: Any) -> RenderableType:
    lines = [_heading("Logs")]
    levels = ", ".join(f"{n:,} {level}" for level, n in (logs.get("levels") or {}).items() if n)
    lines.append(Text(f"  {logs['lines']:,} lines, worst that matters: {logs.get('severity') or '?'}; {levels}"))
    for file in logs.get("files", ())[:6]:
        unparsed = f", {file['unparsed']:,} unparsed" if file["unparsed"] else ""
        read_as = f"{file['format']} ({file['confidence']:.2f})"
        lines.append(Text(f"  {clean(file['path'])}: {file['lines']:,} lines read as {read_as}{unparsed}", style="dim"))
    for key in logs.get("key_lines", ())[:_MAX_KEY_LINES]:
        where = f"{clean(key['file'])}:{key['line']}"
        lines.append(Padding(Text.assemble((where, "cyan"), "  ", clean(key["why"])), (0, 0, 0, 2)))  # type: ignore[arg-type]
    return Group(*lines, Text(""))


def _evidence(report: Report) -> RenderableType:
    rows: list[RenderableType] = [_heading("Evidence, each quote found verbatim in its source")]
    for item in report.evidence:
        rows.append(Padding(Text.assemble((clean(str(item.source)), "cyan")), (0, 0, 0, 2)))
        rows.append(
            Padding(
                Text("│ " + clean(item.quote).strip(), style="bold", overflow="ellipsis", no_wrap=True), (0, 0, 0, 4)
            )
        )
        rows.append(Padding(Text(clean(item.claim), style="dim"), (0, 0, 0, 4)))
    return Group(*rows, Text(""))


def _list(title: str, items: Sequence[str]) -> list[RenderableType]:
    if not items:
        return []
    return [Group(_heading(title), *(Padding(Text("• " + clean(i)), (0, 0, 0, 2)) for i in items), Text(""))]


def _remediation(report: Report) -> list[RenderableType]:
    if not report.remediation:
        return []
    rows: list[RenderableType] = [_heading("Next steps (nothing has been run)")]
    for number, step in enumerate(report.remediation, 1):
        rows.append(Padding(Text(f"{number}. {clean(step.action)} (risk {step.risk})"), (0, 0, 0, 2)))
        if step.command:
            rows.append(Padding(Text("$ " + clean(step.command), style="cyan"), (0, 0, 0, 5)))
        rows.append(Padding(Text("verify: " + clean(step.verify), style="dim"), (0, 0, 0, 5)))
    return [Group(*rows, Text(""))]


def _latency(report: Report) -> RenderableType:
    t, turns = report.timing, report.timing["turns"]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="dim")
    for name in ("turn", "node", "tier"):
        table.add_column(name)
    for name in ("in", "cached", "out", "TTFT", "decode", "tools", "turn wall", "since start"):
        table.add_column(name, justify="right")
    table.add_column("", no_wrap=True, overflow="crop")
    whole = max(t["wall_s"], 1e-9)
    for turn in turns:
        table.add_row(*_turn_row(turn, whole))
    return Group(
        _heading(f"Latency, answered by {clean(report.answered_by)}"), *([table] if turns else []), *_sums(report)
    )


def _turn_row(turn: Any, whole_s: float) -> list[Text]:
    bar = "█" * max(1, round(_BAR_WIDTH * turn["cumulative_s"] / whole_s))
    cells = [
        str(turn["number"]), turn["node"], turn["tier"],
        f"{turn['input_tokens']:,}", f"{turn['cached_tokens']:,}", f"{turn['output_tokens']:,}",
        seconds(turn["ttft_s"]), seconds(turn["decode_s"]), seconds(turn["tool_tail_s"]), seconds(turn["wall_s"]),
        seconds(turn["cumulative_s"]), bar[:_BAR_WIDTH],
    ]  # fmt: skip
    return [Text(clean(cell)) for cell in cells]


def _sums(report: Report) -> list[Text]:
    t = report.timing
    over = f", over by {seconds(t['overrun_s'])}" if t["overrun_s"] else ""
    kinds = sorted(t["by_kind"].items(), key=lambda pair: -pair[1])
    share = ", ".join(f"{kind} {s / max(t['wall_s'], 1e-9):.0%}" for kind, s in kinds)
    lines = [
        Text(f"  {seconds(t['wall_s'])} of the {seconds(t['sla_s'])} allowed{over}; efficiency {t['efficiency']:.2f}"),
        Text(f"  {share}", style="dim"),
    ]
    if t["emulated_s"]:
        costs = ", ".join(f"{seconds(s)} on {tier}" for tier, s in sorted(t["emulated_s"].items(), key=lambda p: p[1]))
        lines.append(Text(f"  The same loop takes {costs} (emulated)"))
    return lines


def _heading(text: str) -> Text:
    return Text(text, style="bold underline")
