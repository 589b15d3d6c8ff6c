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
from fastagent_tools.habits.overview import findings_of as habit_findings
from fastagent_tools.logs.analysis import analysis_of
from fastagent_tools.logs.corpus import corpus_of
from fastagent_tools.logs.digest import finding as log_finding
from fastagent_tools.logs.silence import fallen_silent
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
SAME_BREAK = 0.9  # a break of habit is measured within the service: only a callee's that is as clear explains it
FIRST_GAIN = 0.1
BESIDE_HABITS = 0.5  # an error line without its request says half as much where requests are known
SAME_TIME_S = 90.0  # onsets closer than this are not told apart: scrapes and log lines come in rounds
WAITING = (".latency", "_gap", ".saturation", ".queue")  # kinds of trouble in which others wait for it
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
    yield from habit_findings(scope)
    yield from _logged(scope, bool(habit_findings(scope)))
    yield from suspects_of(scope)


def _logged(scope: Scope, habits_known: bool) -> Iterable[Finding]:
    """What stands out in the logs. Where habits are known, they have judged the same lines within their requests:
    then an error line counts for less, for callers write down what their callees did.
    """
    corpus = corpus_of(scope)
    for ranked in analysis_of(scope).ranked[:LOGS_LOOKED_AT]:
        found = log_finding(corpus, ranked)
        fatal = found.kind.startswith("log.fatal.")
        yield found if fatal or not habits_known else replace(found, score=found.score * BESIDE_HABITS)
    yield from fallen_silent(corpus)


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
    """Callers of a callee that has the same sort of trouble: theirs came up the calls. Judged by the scores before."""
    before = {entity: c.score for entity, c in found.items()}
    for candidate in found.values():
        sort = _sort(candidate.findings[0])
        below = {
            e: _of_sort(found[e], sort) for e in graph.below(candidate.entity) if e in found and e != candidate.entity
        }
        worst = max(below, key=below.__getitem__, default=None)
        least = SAME_BREAK if candidate.findings[0].kind.startswith("habit.") else PASSED_ON
        if worst and not candidate.own and below[worst] >= least * before[candidate.entity]:
            candidate.score *= PASSED_ON
            candidate.reasons.append(f"it calls {worst}, which has trouble too")


def _sort(finding: Finding) -> str:
    """Waiting makes callers wait, failing makes them fail; neither makes the other."""
    return "waiting" if finding.kind.endswith(WAITING) else "failing"


def _of_sort(candidate: Candidate, sort: str) -> float:
    """How bad a candidate's trouble of that sort is."""
    return max((f.score for f in candidate.findings if _sort(f) == sort), default=0.0)


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
