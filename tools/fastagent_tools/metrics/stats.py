"""Robust statistics on short lists. Written out: importing numpy takes longer than all of this."""

from collections.abc import Sequence

MAD_TO_SIGMA = 1.4826  # of a normal distribution


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie, between neighbours interpolated; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: Sequence[float]) -> float:
    """The middle value; 0 for none."""
    return quantile(values, 0.5)


def spread(values: Sequence[float]) -> float:
    """A standard deviation that outliers do not move: from the median absolute deviation."""
    middle = median(values)
    return MAD_TO_SIGMA * median([abs(v - middle) for v in values])
