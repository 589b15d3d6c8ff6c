"""Whether a series left its normal course, how far, and from when on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from fastagent_tools.metrics.kinds import Kind, bad_when, is_percent, kind_of, says_percent
from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.stats import median, spread
from fastagent_tools.metrics.windows import Windows

LEAST_SIGMAS = 4.0  # a change is at least this far out
LEAST_NORMAL = 4  # points; with fewer the whole series has to say what is usual
LEAST_OF_CAPACITY = 2  # of a capacity two points do: no spread has to be estimated from them
SHARE_OF_BASE = 0.1  # nobody is paged for less than a tenth, however steady it was
MUCH_PERCENT = 25.0  # points more of a capacity are a change however noisy the normal was; worth MUCH_SIGMAS
MUCH_SIGMAS = 8.0
FLOOR_PERCENT = 2.0  # points of a percentage
FLOOR_OF_RANGE = 0.1  # of a metric that was at zero all the time
LARGEST_SHARE = 1.5  # a share may overshoot; percentages do not stay this small
_COUNTER = ("_total", "_count", "_sum")


@dataclass(frozen=True, slots=True)
class Change:
    """A series that moved the way that hurts."""

    series: Series
    kind: Kind
    base: float  # its normal value
    peak: float
    peak_at: int  # index of the point
    onset_at: int
    sigmas: float  # how many normal deviations off

    @property
    def rose(self) -> bool:
        """Up or down."""
        return self.peak > self.base

    @property
    def onset_s(self) -> float:
        """Seconds since the epoch of the first point that was off."""
        return self.series.times_s[self.onset_at]


def change_of(series: Series, windows: Windows) -> Change | None:
    """The change in the issue window, or None where it kept its course."""
    series = as_rate(series)
    issue = series.between(*windows.issue)
    if not issue:
        return None
    kind = kind_of(series.metric)
    of_capacity = kind == "saturation" and is_percent(series.metric)
    usual = [series.values[i] for i in series.between(*windows.normal)] if windows.normal else []
    if len(usual) < (LEAST_OF_CAPACITY if of_capacity else LEAST_NORMAL):
        usual = series.values
    base = median(usual)
    sigma = max(spread(usual), SHARE_OF_BASE * abs(base), _floor(series, base, kind))
    if of_capacity:
        sigma = MUCH_PERCENT / MUCH_SIGMAS * _unit(series)  # of a capacity, points count and not deviations
    if not 0 < sigma < inf:
        return None
    off = [_off(series.values[i] - base, kind) / sigma for i in issue]
    held = [min(a, b) for a, b in pairwise(off)] or off  # one point alone is a blip
    if max(held) < LEAST_SIGMAS:
        return None
    peak = max(range(len(off)), key=off.__getitem__)
    onset = next((i for i, value in enumerate(held) if value >= LEAST_SIGMAS), peak)
    return Change(series, kind, base, series.values[issue[peak]], issue[peak], issue[onset], max(held))


def _off(difference: float, kind: Kind) -> float:
    way = bad_when(kind)
    return abs(difference) if way == "either" else difference if way == "up" else -difference


def _floor(series: Series, base: float, kind: Kind) -> float:
    """The least deviation that counts. A backlog is empty in good times by its nature, whatever it is later."""
    if is_percent(series.metric):
        return FLOOR_PERCENT * _unit(series)
    most = max(map(abs, series.values), default=0.0)
    at_zero = median(series.values) == 0 or (kind == "queue" and base == 0)
    return FLOOR_OF_RANGE * most if at_zero else 0.0


def _unit(series: Series) -> float:
    """What one point of a percentage is: shares are written as 0..1 or as 0..100."""
    if says_percent(series.metric):
        return 1.0
    return 1.0 if max(map(abs, series.values), default=0.0) > LARGEST_SHARE else 0.01


def as_rate(series: Series) -> Series:
    """A counter as what was added at each step; anything else as it is. A reset adds nothing."""
    values = series.values
    if not series.metric.split("{")[0].endswith(_COUNTER) or len(values) < 2 or not _only_rises(values):
        return series
    steps = [max(0.0, b - a) for a, b in pairwise(values)]
    return Series(series.entity, series.metric, series.sheet, series.times_s[1:], steps, series.rows[1:], series.column)


def _only_rises(values: Sequence[float]) -> bool:
    falls = sum(b < a for a, b in pairwise(values))
    return falls <= 1 and values[-1] > values[0]
