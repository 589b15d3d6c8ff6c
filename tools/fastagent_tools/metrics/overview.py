"""The tool `metrics_overview`: which metrics left their normal course, the most telling first, with onset times."""

from collections.abc import Sequence

from fastagent.state import Finding, Observation, Severity
from fastagent.toolbox import Scope, tool
from fastagent_tools.metrics.change import MUCH_SIGMAS, Change, change_of
from fastagent_tools.metrics.kinds import is_percentile, of_node
from fastagent_tools.metrics.load import Metrics, metrics_of
from fastagent_tools.metrics.mesh import LEAST_S, Delay, delays
from fastagent_tools.metrics.windows import windows_of
from fastagent_tools.text.coverage import ends_before
from fastagent_tools.text.times import Stamp, iso

MAX_FINDINGS = 10
MOST_DELAYS = 2
DELAY_STEP = 0.1  # the second of two is likelier to wait for the first
DELAY_SCORE = 0.75  # measured from both ends, lost time is the network's
MAX_OF_ENTITY = 2  # else one loud service hides the rest
# How telling a change of each kind is: what saturates or fails is nearer to a cause than what merely moves.
WEIGHT = {
    "saturation": 0.85, "errors": 0.75, "availability": 0.7, "latency": 0.6, "queue": 0.6, "requests": 0.4,
    "other": 0.3,
}  # fmt: skip
HALF_SIGMAS = 6.0  # so far out, a change has half its kind's weight
PERCENTILE_SHARE = 0.5  # of few requests a percentile is that of one of them, and of buckets it jumps
NODE_SHARE = 0.5  # a machine's figures are shared by all that run on it
ALARMING_FROM, WARNING_FROM = 0.4, 0.2


@tool(expect_s=0.3, opening={})
def metrics_overview(scope: Scope, service: str = "") -> Observation:
    """Which metrics left their normal course in the incident, how far and from when; of one service or of all."""
    metrics = metrics_of(scope)
    if not metrics.series:
        return Observation("No metrics are recorded.", gaps=metrics.gaps)
    changes = changes_of(scope, metrics, service)
    findings = findings_of(scope, service)
    seen = [s for s in metrics.series if not service or service.lower() in s.entity.lower()]
    left = len(changes) - len(findings)
    last_s = max((series.times_s[-1] for series in metrics.series if series.times_s), default=None)
    return Observation(
        summary=_summary(len(seen), findings),
        findings=(*findings, *ends_before("metrics", last_s, scope.incident.started_at)),
        left_out=f"{left} smaller changes (ask for one service)" if left else "",
        examined=sum(len(s.values) for s in seen),
        gaps=metrics.gaps,
    )


def findings_of(scope: Scope, service: str = "") -> list[Finding]:
    """The changes worth telling, most telling first."""
    metrics = metrics_of(scope)
    lost = delays(metrics.series, windows_of(scope.incident, metrics.series))
    delayed = [_delayed(d, DELAY_SCORE * _felt(d) - i * DELAY_STEP) for i, d in enumerate(lost[:MOST_DELAYS])]
    return sorted([*delayed, *_chosen(changes_of(scope, metrics, service))], key=lambda f: -f.score)


def _felt(delay: Delay) -> float:
    """How much of a delay is beyond doubt, 0.5 … 1: at the least that anybody notices, half."""
    return delay.seconds / (delay.seconds + LEAST_S)


def changes_of(scope: Scope, metrics: Metrics, service: str = "") -> list[tuple[float, Change]]:
    """Every change with its weight, heaviest first."""
    windows = windows_of(scope.incident, metrics.series)
    found = []
    for series in metrics.series:
        if service and service.lower() not in series.entity.lower():
            continue
        change = change_of(series, windows)
        if change:
            found.append((_weight(change), change))
    return sorted(found, key=lambda pair: (-pair[0], pair[1].onset_s, pair[1].series.entity))


def _weight(change: Change) -> float:
    share = change.sigmas / (change.sigmas + HALF_SIGMAS)
    if change.kind == "saturation":  # a little more of a capacity is load; much more is a cause
        share = change.sigmas**2 / (change.sigmas**2 + MUCH_SIGMAS**2)
    if change.kind == "latency" and is_percentile(change.series.metric):
        share *= PERCENTILE_SHARE
    return round(WEIGHT[change.kind] * share * (NODE_SHARE if of_node(change.series.metric) else 1.0), 3)


def _chosen(changes: Sequence[tuple[float, Change]]) -> list[Finding]:
    """The heaviest changes, a few of each entity; what it has of each capacity is told beside all else."""
    told: dict[tuple[str, bool], int] = {}
    chosen: list[Finding] = []
    for weight, change in changes:
        group = change.series.entity, change.kind == "saturation"
        if told.get(group, 0) < MAX_OF_ENTITY and len(chosen) < MAX_FINDINGS:
            told[group] = told.get(group, 0) + 1
            chosen.append(finding(change, weight))
    return chosen


def finding(change: Change, score: float) -> Finding:
    """A change in words, with the row of its peak as quote."""
    series, way = change.series, "rose" if change.rose else "fell"
    onset = iso(Stamp(change.onset_s, zoned=True))
    return Finding(
        kind=f"metric.{change.kind}",
        statement=f"{series.entity}: {series.metric} {way} from {change.base:.4g} to {change.peak:.4g},"
        f" off since {onset}",
        severity=_severity(score),
        entity=series.entity,
        time=onset,
        quote=series.quote(change.peak_at),
        source=series.source(change.peak_at),
        score=score,
        reason=f"{change.sigmas:.0f} normal deviations off",
    )


def _delayed(delay: Delay, score: float) -> Finding:
    series, at = delay.series, delay.peak_at
    return Finding(
        kind="metric.network_gap",
        statement=f"{delay.callee}: calls of {delay.caller} lose {delay.seconds:.2f} s on the way,"
        f" normally {max(0.0, delay.normal_s):.3f} s",
        severity="error",
        entity=delay.callee,
        time=iso(Stamp(series.times_s[at], zoned=True)),
        quote=series.quote(at),
        source=series.source(at),
        score=round(score, 3),
        reason="the caller's side measures more than the callee's",
    )


def _severity(score: float) -> Severity:
    return "error" if score >= ALARMING_FROM else "warning" if score >= WARNING_FROM else "info"


def _summary(count: int, findings: Sequence[Finding]) -> str:
    if not findings:
        return f"{count} series: none left its normal course."
    return f"{count} series. {findings[0].statement}."
