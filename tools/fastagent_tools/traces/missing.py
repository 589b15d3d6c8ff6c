"""Calls that no longer come: an operation that used to call others and now returns without."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fastagent_tools.traces.span import Span, Traces

LEAST_NORMAL = 5  # times an operation must have been seen before anything can be said about what it usually calls
USUAL_SHARE = 0.9  # of those times, a call that belongs to it was made
LEAST_ISSUE = 2


@dataclass(frozen=True, slots=True)
class Missing:
    """An operation that skips calls it used to make."""

    entity: str
    operation: str
    callees: tuple[str, ...]  # operations no longer called
    share: float  # of its spans that skip them
    count: int
    example: Span


def missing(traces: Traces) -> list[Missing]:
    """Operations that stopped calling, the most thorough first."""
    now = _by_operation(traces, traces.issue)
    before = _by_operation(traces, traces.normal) if traces.normal else now  # then the many say what is usual
    found = []
    for operation, normal in before.items():
        issue = now.get(operation, [])
        if len(normal) < LEAST_NORMAL or len(issue) < LEAST_ISSUE:
            continue
        usual = {
            name
            for name, n in Counter(c for _, calls in normal for c in calls).items()
            if n >= USUAL_SHARE * len(normal)
        }
        skipping = [(span, usual - calls) for span, calls in issue if usual - calls]
        if skipping:
            gone = tuple(sorted({name for _, names in skipping for name in names}))
            found.append(
                Missing(operation[0], operation[1], gone, len(skipping) / len(issue), len(skipping), skipping[0][0])
            )
    return sorted(found, key=lambda m: (-m.share, -m.count, m.entity))


def _by_operation(traces: Traces, spans: Iterable[Span]) -> dict[tuple[str, str], list[tuple[Span, set[str]]]]:
    """(entity, operation) -> its spans with the operations each one called directly."""
    found: dict[tuple[str, str], list[tuple[Span, set[str]]]] = {}
    for span in spans:
        calls = {child.name for child in traces.children.get((span.trace, span.id), ())}
        found.setdefault((span.entity, span.name), []).append((span, calls))
    return found
