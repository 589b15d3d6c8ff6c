"""The tool `blame_along_calls`: whose own share of a latency or availability symptom is the largest."""

import re
from collections.abc import Iterable
from typing import Any

from fastagent.state import Finding, Gap, Incident, Observation
from fastagent.toolbox import Scope, tool
from fastagent_tools.metrics.change import change_of
from fastagent_tools.metrics.kinds import kind_of
from fastagent_tools.metrics.load import calls_of, metrics_of
from fastagent_tools.metrics.series import EDGE
from fastagent_tools.metrics.windows import windows_of
from fastagent_tools.text.times import Stamp, iso
from fastagent_tools.topology.excess import Blamed, Symptom, blame
from fastagent_tools.topology.graph import graph_of

MOST = 6
TOP_SCORE = 0.85
_KINDS = ("latency", "availability")


@tool(expect_s=0.3, opening={})
def blame_along_calls(scope: Scope) -> Observation:
    """Follow the symptom down the call graph: whose own latency or failures, without its callees', explain it."""
    graph = graph_of(scope)
    symptom = _symptom(scope) if graph.calls else None
    if symptom is None:
        files = scope.bundle.of_part("topology") if scope.bundle else ()
        return Observation(
            "No call graph with latency or availability of its services is recorded.",
            gaps=tuple(Gap(f.path, "unreadable") for f in files if not calls_of(scope)),
        )
    findings = findings_of(scope)
    said = findings[0].statement if findings else "nobody's own share stands out"
    return Observation(
        f"{symptom.kind} of {symptom.entity}, followed along {len(graph.calls)} calls: {said}.",
        tuple(findings),
        examined=len(graph.calls),
    )


def findings_of(scope: Scope) -> list[Finding]:
    """Whose own share of the symptom is largest, most to blame first; none without a call graph or a symptom."""
    graph, symptom = graph_of(scope), _symptom(scope)
    if symptom is None or not graph.calls:
        return []
    series = metrics_of(scope).series
    blamed = blame(symptom, [s for s in series if EDGE not in s.entity], graph, windows_of(scope.incident, series))
    return [_finding(b, symptom, blamed[0].blame) for b in blamed[:MOST]]


def _symptom(scope: Scope) -> Symptom | None:
    """As the incident says, else the entity and kind that its alerts name, else the worst change there is."""
    incident, metrics = scope.incident, metrics_of(scope).series
    windows, series = windows_of(incident, metrics), [s for s in metrics if EDGE not in s.entity]
    known = {(s.entity, kind_of(s.metric)) for s in series}
    folded = {entity.lower(): entity for entity, _ in known}
    for words in _told(incident):
        entity = next((folded[w] for w in words if w in folded), None)
        kind = next((k for w in words if (k := kind_of(w)) in _KINDS), None)
        if entity and kind and (entity, kind) in known:
            return Symptom(entity, kind)
    changes = [c for s in series if (c := change_of(s, windows)) and c.kind in _KINDS]
    worst = max(changes, key=lambda c: c.sigmas, default=None)
    return Symptom(worst.series.entity, worst.kind) if worst else None


def _told(incident: Incident) -> Iterable[list[str]]:
    """Words in which the incident and each alert say what is wrong, lower case."""
    if incident.target:
        yield [str(v).lower() for v in _values(incident.target)]
    for alert in incident.alerts:
        labels = alert.get("commonLabels") if isinstance(alert, dict) else None
        yield [str(v).lower() for v in _values(labels)]
    yield re.split(r"[\s:,()]+", incident.title.lower())


def _values(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else [value] if value else []


def _finding(blamed: Blamed, symptom: Symptom, most: float) -> Finding:
    series, at = blamed.series, blamed.peak_at
    share = blamed.blame / most if most else 0.0
    own = "seconds of waiting" if symptom.kind == "latency" else "failed requests"
    time = iso(Stamp(series.times_s[at], zoned=True))
    return Finding(
        kind=f"cause.{symptom.kind}",
        statement=f"{blamed.entity}: {blamed.blame:.4g} {own} are its own ({series.metric} {series.values[at]:.4g})",
        severity="error" if share > 0.5 else "warning",
        entity=blamed.entity,
        time=time,
        quote=series.quote(at),
        source=series.source(at),
        score=round(TOP_SCORE * share, 3),
        reason=f"of {blamed.excess:.4g} beyond normal, the rest is its callees'",
    )
