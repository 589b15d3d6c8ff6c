"""What `Agent.stream` yields while it works: small typed facts, in order. The last one is `Finished`."""

from dataclasses import dataclass

from fastagent.state import Evidence, Hypothesis, Report


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A model call began. `left_s` is what is left before the deadline."""

    number: int
    node: str
    left_s: float


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A model call and what it triggered are over."""

    number: int
    node: str
    tier: str
    wall_s: float
    output_tokens: int


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call was dispatched; `overlapped` says that the model was still streaming."""

    name: str
    arguments: str
    overlapped: bool


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool call came back."""

    name: str
    summary: str
    findings: int
    elapsed_s: float
    ok: bool


@dataclass(frozen=True, slots=True)
class Believed:
    """The hypotheses were weighed anew, best first."""

    hypotheses: tuple[Hypothesis, ...]


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """A claim whose quote was found verbatim."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Paced:
    """The pacing decided how to go on, and why."""

    decision: str
    reason: str


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that a reader of the report must know: a retry, a lost model, a spent limit."""

    note: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer."""

    report: Report


Event = TurnStarted | TurnEnded | ToolStarted | ToolEnded | Believed | EvidenceFound | Paced | Noted | Finished
