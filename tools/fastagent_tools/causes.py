"""The tool `rank_causes`: everything that was noticed, fused into candidates for the cause, each with its reasons.

A component's score is that of its most decisive finding; further kinds of evidence add a little. Trouble that travels
from callee to caller (errors, waiting) is taken off a caller whose callee has it too; what a component does to itself
(a full disk, a busy processor, a slow network in front of it) stays with it. Whose trouble began first gains.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from fastagent.state import Finding, Observation
from fastagent.toolbox import Scope, tool
from fastagent_tools.changes.suspects import suspects_of
from fastagent_tools.logs.analysis import analysis_of
from fastagent_tools.logs.corpus import corpus_of
from fastagent_tools.logs.digest import finding as log_finding
from fastagent_tools.metrics.overview import findings_of as metric_findings
from fastagent_tools.metrics.series import EDGE
from fastagent_tools.topology.graph import Graph, graph_of
from fastagent_tools.topology.overview import findings_of as blame_findings
from fastagent_tools.traces.overview import findings_of as trace_findings

MOST = 8
LOGS_LOOKED_AT = 20
LEAST_SCORE = 0.15
SECOND_KIND = 0.15  # of what is missing to certainty, a further kind of evidence adds this share
PASSED_ON = 0.5  # of a caller's score is left where a callee has the same trouble
FIRST_GAIN = 0.1
SAME_TIME_S = 90.0  # onsets closer than this are not told apart: scrapes and log lines come in rounds
OWN_TROUBLE = (
    "metric.saturation",
    "metric.network_gap",
    "trace.network_gap",
    "cause.*",
    "log.fatal.*",
)  # does not travel


@dataclass(slots=True)
class Candidate:
    """A component with what speaks for it, most decisive first."""

    entity: str
    findings: list[Finding] = field(default_factory=list)
    score: float = 0.0
    reasons: list[str] = field(default_factory=list)

    @property
    def own(self) -> bool:
        """Whether its most decisive finding is trouble of its own making."""
        return any(fnmatchcase(self.findings[0].kind, pattern) for pattern in OWN_TROUBLE)


@tool(expect_s=0.6, opening={})
def rank_causes(scope: Scope) -> Observation:
    """Candidates for the cause, from metrics, traces, call graph, logs and changes together, best first."""
    findings = list(_noticed(scope))
    if not findings:
        return Observation("Nothing that could be ranked was noticed.")
    ranked = rank(findings, graph_of(scope))
    told = tuple(_told(c) for c in ranked[:MOST])
    names = ", ".join(f"{c.entity} {c.score:.2f}" for c in ranked[:MOST])
    # It reads nothing that other tools have not read: nothing more was examined.
    return Observation(f"Candidates by all evidence: {names or 'none'}.", told)


def _noticed(scope: Scope) -> Iterable[Finding]:
    yield from metric_findings(scope)
    yield from trace_findings(scope)
    yield from blame_findings(scope)
    corpus = corpus_of(scope)
    yield from (log_finding(corpus, r) for r in analysis_of(scope).ranked[:LOGS_LOOKED_AT])
    yield from suspects_of(scope)


def rank(findings: Sequence[Finding], graph: Graph) -> list[Candidate]:
    """Candidates of these findings, best first."""
    found: dict[str, Candidate] = {}
    for finding in sorted(findings, key=lambda f: -f.score):
        if finding.entity and EDGE not in finding.entity and finding.severity in ("error", "critical", "warning"):
            found.setdefault(finding.entity, Candidate(finding.entity)).findings.append(finding)
    for candidate in found.values():
        _add_up(candidate)
    _pass_on(found, graph)
    _first(found.values())
    ranked = [c for c in found.values() if c.score >= LEAST_SCORE]
    return sorted(ranked, key=lambda c: (-c.score, c.entity))


def _add_up(candidate: Candidate) -> None:
    """The best finding counts in full, each further kind of evidence a little."""
    best = candidate.findings[0]
    candidate.score = best.score
    candidate.reasons.append(best.reason)
    kinds = {best.kind.split(".")[0]}
    for finding in candidate.findings[1:]:
        kind = finding.kind.split(".")[0]
        if kind not in kinds:
            kinds.add(kind)
            candidate.score += SECOND_KIND * finding.score * (1 - candidate.score)
            candidate.reasons.append(f"{kind}s agree")


def _pass_on(found: dict[str, Candidate], graph: Graph) -> None:
    """Callers of a callee that has trouble as well: theirs came up the calls. Judged by the scores before."""
    before = {entity: c.score for entity, c in found.items()}
    for candidate in found.values():
        below = [c for c in graph.below(candidate.entity) if c in before and c != candidate.entity]
        worst = max(below, key=before.__getitem__, default=None)
        if worst and not candidate.own and before[worst] >= PASSED_ON * before[candidate.entity]:
            candidate.score *= PASSED_ON
            candidate.reasons.append(f"it calls {worst}, which has trouble too")


def _first(candidates: Iterable[Candidate]) -> None:
    """Whoever was off before all others began it rather than suffered it."""
    onsets = {c.entity: min((f.time for f in c.findings if f.time), default="") for c in candidates}
    dated = sorted((time, entity) for entity, time in onsets.items() if time)
    if len(dated) < 2 or not _earlier(dated[0][0], dated[1][0]):
        return
    for candidate in candidates:
        if candidate.entity == dated[0][1]:
            candidate.score += FIRST_GAIN * (1 - candidate.score)
            candidate.reasons.append("its trouble began first")


def _earlier(first: str, second: str) -> bool:
    from fastagent_tools.text.times import Clock

    a, b = Clock(1970).read(first), Clock(1970).read(second)
    return a is not None and b is not None and b.at_s - a.at_s > SAME_TIME_S


def _told(candidate: Candidate) -> Finding:
    best = candidate.findings[0]
    return replace(
        best,
        kind="candidate",
        score=round(candidate.score, 3),
        reason="; ".join(dict.fromkeys(filter(None, candidate.reasons))),
        severity="info",  # what was noticed is told by the tool that noticed it; this orders it
    )
