"""Time that is lost between caller and callee: the caller waited longer than the callee worked."""

from collections.abc import Iterable
from dataclasses import dataclass

from fastagent_tools.metrics.stats import quantile
from fastagent_tools.traces.span import Span, Traces

LEAST_PAIRS = 2
LEAST_S = 0.1  # nobody notices less between two services
LOW = 0.25  # a network that is slow is slow for most calls: the lower quartile has to rise


@dataclass(frozen=True, slots=True)
class Wait:
    """How much longer callers of `callee` waited than it worked, compared with normal; `worst` shows it."""

    callee: str
    seconds: float
    normal_s: float
    pairs: int
    worst: Span  # the caller's span
    worked_s: float  # by the callee within it


def waits(traces: Traces) -> list[Wait]:
    """Callees whose calls lose time on the way, worst first."""
    now, before = _pairs(traces, traces.issue), _pairs(traces, traces.normal)
    found = []
    for callee, pairs in now.items():
        if len(pairs) < LEAST_PAIRS:
            continue
        lost_s = quantile([gap for gap, _, _ in pairs], LOW)
        normal_s = quantile([gap for gap, _, _ in before.get(callee, [])], LOW)
        if lost_s - normal_s >= LEAST_S:
            _, caller, worked_s = max(pairs, key=lambda p: p[0])
            found.append(Wait(callee, lost_s, normal_s, len(pairs), caller, worked_s))
    return sorted(found, key=lambda w: w.normal_s - w.seconds)


def _pairs(traces: Traces, spans: Iterable[Span]) -> dict[str, list[tuple[float, Span, float]]]:
    """Callee -> (seconds lost, the caller's span, seconds the callee worked) of each call between two entities."""
    found: dict[str, list[tuple[float, Span, float]]] = {}
    for span in spans:
        caller = traces.parent_of(span)
        if caller is None or caller.entity == span.entity:
            continue
        if len(traces.children.get((caller.trace, caller.id), ())) == 1:  # a caller of several waits for them all
            found.setdefault(span.entity, []).append((caller.duration_s - span.duration_s, caller, span.duration_s))
    return found
