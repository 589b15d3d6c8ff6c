"""What a run knows: plain data. `State` is all that a checkpoint keeps: JSON values only, so any checkpointer will do.

The dataclasses are the typed views; `as_json` and `from_json` go between them and the state.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from operator import add
from typing import Annotated, Any, Literal, TypedDict, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, with_config

Severity = Literal["info", "warning", "error", "critical"]
Verdict = Literal["CONFIRMED", "LIKELY", "INCONCLUSIVE"]
Status = Literal["complete", "partial", "failed"]
T = TypeVar("T")

CATEGORIES = (
    "resource_exhaustion", "configuration", "dependency_failure", "network", "deployment", "code_defect", "data",
    "security", "traffic", "infrastructure", "permission", "scheduling", "none", "unknown",
)  # fmt: skip

_lenient = with_config(ConfigDict(extra="ignore"))


@_lenient
@dataclass(frozen=True, slots=True)
class Source:
    """Where a quote stands: a file below the bundle with its line, or a command line whose output holds it."""

    file: str | None = None
    line: int | None = None
    command: str | None = None
    metric: str | None = None
    query: str | None = None
    window: str | None = None
    url: str | None = None

    def __str__(self) -> str:
        if self.file:
            return f"{self.file}:{self.line}" if self.line else self.file
        return next((s for s in (self.command, self.metric, self.query, self.url) if s), "?")


@_lenient
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a tool noticed. `kind` names it for playbooks ("log.error.new").

    `score` in 0..1 says how telling it is, `reason` why.
    """

    kind: str
    statement: str
    severity: Severity = "info"
    entity: str = ""  # whom it is about: service, host, file …; "" = nobody in particular
    time: str | None = None  # ISO 8601, log time
    quote: str = ""  # verbatim from the source
    source: Source = Source()
    score: float = 0.0
    reason: str = ""
    id: str = ""  # given by the toolbox: "o3.f1" is the first finding of the third observation


@_lenient
@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be looked at. Missing is never read as health or as a fault."""

    source: str
    reason: Literal["absent", "forbidden", "timeout", "too_large", "unreadable"] = "absent"


@_lenient
@dataclass(frozen=True, slots=True)
class Observation:
    """What came back from one tool call. `ok` is false for bad arguments, `ToolError` and timeouts.

    `examined` counts what was read (lines, rows, objects): findings = none means health only where it is > 0.
    `report` holds sections for the final report ("logs"); the model does not see it.
    """

    summary: str
    findings: tuple[Finding, ...] = ()
    text: str = ""  # an excerpt, verbatim
    left_out: str = ""
    examined: int = 0
    gaps: tuple[Gap, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)
    ok: bool = True
    source: Source = Source()  # what `text` is an excerpt of
    tool: str = ""
    id: str = ""
    elapsed_s: float = 0.0


@_lenient
@dataclass(frozen=True, slots=True)
class Incident:
    """What is known at the start. `bundle` is a path to recorded evidence; the rest may be empty."""

    title: str
    started_at: str | None = None
    services: tuple[str, ...] = ()
    namespace: str | None = None
    context: str = ""
    target: Any = None  # what the alarm is about: a name, or {"service": …, "metric": …}
    answer_space: Mapping[str, Any] = field(default_factory=dict)
    normal_window: Any = None
    issue_window: Any = None
    log_window: Any = None  # [since, until] of the logs to look at; either may be "" (open) or "15m" (before the end)
    notes: str = ""
    alerts: tuple[Mapping[str, Any], ...] = ()
    bundle: str | None = None


@_lenient
@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible explanation and how far it is believed (0..1)."""

    id: str
    statement: str
    belief: float = 0.0
    verdict: Literal["supported", "contradicted", "open"] = "open"
    playbook: str | None = None


@_lenient
@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim with the verbatim quote that carries it. `supports` and `contradicts` name hypotheses."""

    id: str
    claim: str
    quote: str
    source: Source = Source()
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    verified: bool = False


@_lenient
@dataclass(frozen=True, slots=True)
class RootCause:
    """The answer. `label` is the id of the playbook that explains it."""

    component: str
    category: str
    statement: str
    confidence: float
    verdict: Verdict
    label: str | None = None


@_lenient
@dataclass(frozen=True, slots=True)
class Candidate:
    """A component that was weighed."""

    component: str
    score: float


@_lenient
@dataclass(frozen=True, slots=True)
class Change:
    """The commit, deploy or flag to blame; `commit` is "none" where no change explains it."""

    kind: str
    commit: str
    why: str


@_lenient
@dataclass(frozen=True, slots=True)
class Remediation:
    """A step towards repair: never run by itself."""

    action: str
    risk: Literal["low", "medium", "high"]
    rollback: str
    verify: str
    command: str | None = None
    playbook: str | None = None


@_lenient
@dataclass(frozen=True, slots=True)
class Report:
    """The answer of a run, in the form of `--format json`, schema "fastagent.report/1" (README, docs/report.md)."""

    status: Status
    answered_by: str
    incident: Mapping[str, Any]
    root_cause: RootCause | None
    ranking: tuple[Candidate, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    causal_chain: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    change: Change | None = None
    remediation: tuple[Remediation, ...] = ()
    logs: Mapping[str, Any] = field(default_factory=dict)
    timing: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    tier: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[
        str, ...
    ] = ()  # what happened on the way that a reader must know: retries, a lost model, a spent limit
    schema: str = "fastagent.report/1"


class State(TypedDict, total=False):
    """One investigation's progress. Lists marked `add` only grow; the rest is replaced."""

    incident: dict[str, Any]  # redacted
    budget: dict[str, Any]  # as it was granted
    items: Annotated[list[dict[str, Any]], add]  # the conversation, as Responses input items; append-only
    observations: Annotated[list[dict[str, Any]], add]  # redacted
    playbooks: Annotated[list[str], add]  # ids of those that the model was shown
    hypotheses: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    dropped: Annotated[list[list[str]], add]  # of each claim without a verbatim quote, the hypotheses it was to support
    wants: str  # what the model asked for next: "continue" or "conclude"
    cycles: int
    diagnosis: dict[str, Any] | None
    notes: Annotated[list[str], add]
    spans: Annotated[list[dict[str, Any]], add]
    turns: Annotated[list[dict[str, Any]], add]
    spent: dict[str, float]  # seconds, turns and tool calls gone so far: what a resumed run starts with
    redactions: dict[str, Any]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def from_json(kind: type[T], value: Any) -> T:
    """A typed view of JSON data. Raises pydantic's `ValidationError` where it does not fit."""
    adapter: TypeAdapter[T] = _adapter(cast("Any", kind))
    return adapter.validate_python(value)


def as_json(value: Any) -> Any:
    """Plain JSON data of a dataclass, all the way down."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(v) for v in value]
    return value
