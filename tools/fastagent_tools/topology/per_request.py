"""Latencies as seconds a request: what a counter of time has added, over what the counter of requests has added."""

import re
from collections.abc import Mapping
from dataclasses import replace

from fastagent_tools.metrics.change import as_rate
from fastagent_tools.metrics.kinds import words_of
from fastagent_tools.metrics.series import Series

_UNITS = ((re.compile(r"\b(ms|msec|millis\w*)\b"), 1e-3), (re.compile(r"\b(us|usec|micros\w*)\b"), 1e-6))


def per_request(series: Series, loads: Mapping[str, Series]) -> Series | None:
    """A series of means as it is; a running total divided by its requests; None where there are none to divide by."""
    steps = as_rate(series)
    if steps is series:
        return series
    load = loads.get(series.entity)
    if load is None:
        return None
    requests = dict(zip(load.times_s, load.values, strict=True))
    counts = [requests.get(at, 0.0) for at in steps.times_s]
    values = [value / count if count > 0 else 0.0 for value, count in zip(steps.values, counts, strict=True)]
    return replace(steps, values=values)


def seconds_in(metric: str) -> float:
    """What one of a metric's unit is in seconds, by its name; a second where it says nothing."""
    words = words_of(metric)
    return next((seconds for pattern, seconds in _UNITS if pattern.search(words)), 1.0)
