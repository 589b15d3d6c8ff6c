"""Latency of the same calls from both ends: what the caller measures beyond the callee is lost on the way."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastagent_tools.metrics.kinds import words_of
from fastagent_tools.metrics.series import EDGE, Series
from fastagent_tools.metrics.stats import quantile
from fastagent_tools.metrics.windows import Windows

LEAST_S = 0.1  # nobody notices less between two services
LOW, PART_OF_ISSUE = 0.25, 0.5
_CALLER = re.compile(r"\b(source|client|outbound|upstream)\b")
_CALLEE = re.compile(r"\b(destination|server|inbound|dest)\b")


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds lost between a caller and a callee, now and normally; the caller's series and the point that shows it."""

    caller: str
    callee: str
    seconds: float
    normal_s: float
    series: Series
    peak_at: int


def delays(series: Sequence[Series], windows: Windows) -> list[Delay]:
    """Calls that lose time on the way, worst first; those that wait for another one of them come after it."""
    callers = {key: s for s in series if (key := _key(s, _CALLER))}
    callees = {key: s for s in series if (key := _key(s, _CALLEE))}
    found = [d for key, s in callers.items() if key in callees and (d := _delay(s, callees[key], windows))]
    waiting = {d.caller for d in found}
    return sorted(found, key=lambda d: (d.callee in waiting, d.normal_s - d.seconds))


def _key(series: Series, side: re.Pattern[str]) -> tuple[str, str] | None:
    """Entity and metric without the word that says which side measured."""
    words = words_of(series.metric)
    if EDGE not in series.entity or not side.search(words):
        return None
    return series.entity, side.sub("", words).strip()


def _delay(source: Series, destination: Series, windows: Windows) -> Delay | None:
    """Rows of both sides belong together by their order: scrapes of one round carry times of their own."""
    count = min(len(source.values), len(destination.values))
    gaps = [a - b for a, b in zip(source.values[:count], destination.values[:count], strict=True)]
    issue = [i for i in source.between(*windows.issue) if i < count]
    normal_s = quantile(gaps, 0.5)
    if len(issue) < 2:
        return None
    high = sorted((gaps[i] for i in issue), reverse=True)[: max(2, int(PART_OF_ISSUE * len(issue)))]
    lost_s = quantile(high, LOW)
    if lost_s - normal_s < LEAST_S:
        return None
    caller, _, callee = source.entity.partition(EDGE)
    return Delay(caller, callee, lost_s, normal_s, source, max(issue, key=gaps.__getitem__))
