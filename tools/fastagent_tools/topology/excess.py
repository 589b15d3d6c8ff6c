"""Blame along calls by conservation: the seconds that callers wait and the requests that fail are those of a callee.

For every entity the excess is what its requests waited (or how many failed) beyond normal, summed over the time in
which the symptom shows. A caller's excess contains that of its callees; what is left when theirs is taken off is its
own. Shares of requests, percentiles and rates cannot be added up like that: it needs means and counts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastagent_tools.metrics.change import as_rate
from fastagent_tools.metrics.kinds import is_percentile, kind_of, words_of
from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.stats import median
from fastagent_tools.metrics.windows import Windows
from fastagent_tools.topology.graph import Graph
from fastagent_tools.topology.per_request import per_request, seconds_in

HOT_SHARE = 0.1  # of the symptom's range: so far off normal, a moment counts as part of the trouble
OWN_SHARE = 0.05  # of an excess that its callees explain stays with the caller, so that ties fall to the busier one
SYMPTOM_SHARE = 0.25  # the entity that raised the alarm is where it shows, seldom where it begins
MEAN = re.compile(r"\b(average|avg|mean)\b")
PERCENT_FROM = 1.5  # an availability above this is in percent


@dataclass(frozen=True, slots=True)
class Blamed:
    """An entity with its own excess: seconds waited or requests failed that none of its callees explains."""

    entity: str
    blame: float
    excess: float
    series: Series
    peak_at: int  # index of the point that shows it
    normal: float


@dataclass(frozen=True, slots=True)
class Symptom:
    """What the alarm was about: an entity's latency or availability."""

    entity: str
    kind: str  # latency or availability


def blame(symptom: Symptom, series: Sequence[Series], graph: Graph, windows: Windows) -> list[Blamed]:
    """Entities by their own share of the symptom, the most to blame first; none where it cannot be computed."""
    if windows.normal is None:
        return []
    loads = {s.entity: as_rate(s) for s in series if kind_of(s.metric) == "requests"}
    told = [per_request(s, loads) for s in series if kind_of(s.metric) == symptom.kind and _adds_up(s)]
    means = {s.entity: s for s in told if s is not None}
    target = means.get(symptom.entity)
    if target is None:
        return []
    hot = _hot(target, symptom.kind, windows)
    found = {entity: _excess(s, loads.get(entity), symptom.kind, hot, windows) for entity, s in means.items()}
    excess = {entity: value for entity, (value, _, _) in found.items()}
    blamed = []
    for entity, (value, peak_at, normal) in found.items():
        own = _own(entity, excess, graph, symptom)
        if own > 0:
            blamed.append(Blamed(entity, own, value, means[entity], peak_at, normal))
    return sorted(blamed, key=lambda b: (-b.blame, b.entity))


def _adds_up(series: Series) -> bool:
    """Means and shares weighted by requests add up along calls; percentiles do not."""
    return bool(MEAN.search(words_of(series.metric))) or not is_percentile(series.metric)


def _own(entity: str, excess: Mapping[str, float], graph: Graph, symptom: Symptom) -> float:
    below = sum(max(0.0, excess.get(callee, 0.0)) for callee in graph.callees.get(entity, ()))
    own = max(0.0, excess[entity] - below) + OWN_SHARE * max(0.0, excess[entity])
    return own * SYMPTOM_SHARE if entity == symptom.entity else own


def _badness(value: float, kind: str, unit: float) -> float:
    return value if kind == "latency" else 1 - value / unit


def _unit(series: Series) -> float:
    return 100.0 if max(series.values, default=0.0) > PERCENT_FROM else 1.0


def _hot(target: Series, kind: str, windows: Windows) -> set[float]:
    """The moments at which the symptom shows."""
    issue, unit = target.between(*windows.issue), _unit(target)
    bad = {target.times_s[i]: _badness(target.values[i], kind, unit) for i in issue}
    normal = median([_badness(target.values[i], kind, unit) for i in target.between(*windows.normal or (0, 0))])
    if not bad:
        return set()
    span = max(bad.values()) - normal
    return {at for at, value in bad.items() if value - normal > HOT_SHARE * span}


def _excess(
    series: Series, load: Series | None, kind: str, hot: set[float], windows: Windows
) -> tuple[float, int, float]:
    """The excess, the point that shows it best, and what was normal. An entity without a history is new: no excess."""
    unit, issue = _unit(series), series.between(*windows.issue)
    usual = [_badness(series.values[i], kind, unit) for i in series.between(*windows.normal or (0, 0))]
    if not usual or not issue:
        return 0.0, 0, 0.0
    cold = [_badness(series.values[i], kind, unit) for i in issue if series.times_s[i] not in hot]
    normal = max(median(usual), sum(cold) / len(cold) if cold else 0.0)
    requests = dict(zip(load.times_s, load.values, strict=True)) if load else {}
    parts = {
        i: (_badness(series.values[i], kind, unit) - normal) * requests.get(series.times_s[i], 1.0 if not load else 0.0)
        for i in issue
        if series.times_s[i] in hot
    }
    if not parts:
        return 0.0, 0, normal
    return sum(parts.values()) * seconds_in(series.metric), max(parts, key=parts.__getitem__), normal
