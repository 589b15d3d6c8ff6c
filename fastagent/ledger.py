"""Where the time went. Spans are measured on one clock; each instant is charged to one kind, so the parts add up.

Where spans overlap (a tool runs while the model still streams) the instant belongs to the kind that stands first in
`PRECEDENCE`. What no span covers is "unattributed": more than 3 % of it is a bug.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal[
    "startup", "queue", "network", "prefill", "decode", "tool", "retry_sleep", "checkpoint", "framework", "unattributed"
]
PRECEDENCE: tuple[Kind, ...] = (
    "decode", "prefill", "queue", "network", "tool", "retry_sleep", "checkpoint", "startup", "framework",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of time: seconds since the run began. `turn` is the model call it belongs to, 0 = none."""

    kind: Kind
    name: str
    start_s: float
    end_s: float
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One model call and what it triggered. Emulated seconds are what the same turn costs on each tier, unloaded."""

    number: int
    node: str
    tier: str  # as served
    start_s: float
    ttft_s: float  # request in to first token out
    decode_s: float
    wall_s: float  # until its last tool call was back
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    tools: tuple[str, ...] = ()
    tool_tail_s: float = 0.0  # tool time after the stream had ended
    emulated_s: Mapping[str, float] = field(default_factory=dict)
    ideal_s: float = 0.0  # emulated model time and the tool time that cannot overlap: the turn's lower bound


@dataclass(slots=True)
class Ledger:
    """All spans and turns of a run. Times are seconds since `began_at` on the loop's clock."""

    began_at: float
    spans: list[Span] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    marks: dict[str, float] = field(default_factory=dict)  # e.g. "first_hypothesis" -> seconds since the run began

    def add(self, kind: Kind, name: str, start_at: float, end_at: float, turn: int = 0) -> None:
        """Record a span given in clock times; empty ones are dropped."""
        if end_at > start_at:
            self.spans.append(Span(kind, name, start_at - self.began_at, end_at - self.began_at, turn))

    def mark(self, name: str, at: float) -> None:
        """Record when something happened first."""
        self.marks.setdefault(name, at - self.began_at)

    def by_kind(self, wall_s: float) -> dict[str, float]:
        """Seconds of each kind up to `wall_s`; the values add up to it."""
        charged = attribute(self.spans, wall_s)
        return {kind: charged[kind] for kind in (*PRECEDENCE, "unattributed") if charged.get(kind)}

    def emulated(self, wall_s: float) -> dict[str, float]:
        """What the whole loop costs on each tier: model time as emulated there, all the rest as it was measured."""
        model = {"decode", "prefill", "queue", "network"}
        rest = sum(s for kind, s in self.by_kind(wall_s).items() if kind not in model)
        tiers = sorted({tier for turn in self.turns for tier in turn.emulated_s})
        return {tier: rest + sum(t.emulated_s.get(tier, 0.0) for t in self.turns) for tier in tiers}

    def efficiency(self, wall_s: float) -> float:
        """η = lower bound / wall: 1 means that nothing but the model and unavoidable tool time was spent."""
        return min(1.0, sum(t.ideal_s for t in self.turns) / wall_s) if wall_s > 0 else 0.0

    def as_json(self) -> list[dict[str, Any]]:
        """The turns as plain data, each with the cumulative seconds at its end."""
        return [{**asdict(t), "cumulative_s": t.start_s + t.wall_s} for t in self.turns]


def attribute(spans: Iterable[Span], wall_s: float) -> dict[str, float]:
    """Charge every instant of [0, wall_s] to one kind: the first in `PRECEDENCE` among the spans that cover it."""
    edges = sorted(
        (min(at, wall_s), step, PRECEDENCE.index(span.kind))
        for span in spans
        if span.kind in PRECEDENCE
        for at, step in ((span.start_s, 1), (span.end_s, -1))
    )
    open_count = [0] * len(PRECEDENCE)
    charged: dict[str, float] = {}
    reached = 0.0
    for at, step, rank in [*edges, (wall_s, 0, 0)]:
        top = next((i for i, n in enumerate(open_count) if n), None)
        kind = "unattributed" if top is None else PRECEDENCE[top]
        charged[kind] = charged.get(kind, 0.0) + max(0.0, at - reached)
        reached = max(reached, at)
        open_count[rank] += step
    return charged
