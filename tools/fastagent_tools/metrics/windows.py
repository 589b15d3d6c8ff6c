"""When it was normal and when it was not: as the incident says, else by when it is said to have started."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastagent.state import Incident
from fastagent_tools.metrics.series import Series
from fastagent_tools.text.times import Clock

# An alert fires after the trouble began: this share of the time before it, at most so many seconds, is not trusted.
LEAD_SHARE, LEAD_MOST_S = 0.1, 600.0


@dataclass(frozen=True, slots=True)
class Windows:
    """Seconds since the epoch, both ends included. `normal` is None where nothing says when all was well."""

    normal: tuple[float, float] | None
    issue: tuple[float, float]
    started_s: float | None = None


def windows_of(incident: Incident, series: Sequence[Series]) -> Windows:
    """The windows of these series. Without any hint the whole of them is looked at for what stands out."""
    first = min((s.times_s[0] for s in series if s.times_s), default=0.0)
    last = max((s.times_s[-1] for s in series if s.times_s), default=0.0)
    normal, issue = _window(incident.normal_window), _window(incident.issue_window)
    started_s = _seconds(incident.started_at)
    if issue is not None:
        return Windows(normal or ((first, issue[0]) if first < issue[0] else None), issue, started_s)
    if started_s is None or not first < started_s <= last + LEAD_MOST_S:
        return Windows(normal, (first, last), None)
    begin = started_s - min(LEAD_MOST_S, LEAD_SHARE * (started_s - first))
    return Windows(normal or (first, begin), (begin, last), started_s)


def _window(value: Any) -> tuple[float, float] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    begin, end = _seconds(value[0]), _seconds(value[1])
    return (begin, end) if begin is not None and end is not None and begin < end else None


def _seconds(value: Any) -> float | None:
    stamp = Clock(1970).read(str(value)) if value else None
    return stamp.at_s if stamp else None
