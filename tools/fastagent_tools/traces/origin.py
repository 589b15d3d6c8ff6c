"""Where errors begin: a span that failed although nothing it called did."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fastagent_tools.traces.span import Span, Traces


@dataclass(frozen=True, slots=True)
class Origin:
    """An entity in which errors begin: how many now, how many of as many spans before."""

    entity: str
    count: int
    before: float
    example: Span


def origins(traces: Traces) -> list[Origin]:
    """Entities in which more errors begin than did normally, most first."""
    now, before = list(_begun(traces, traces.issue)), Counter(s.entity for s in _begun(traces, traces.normal))
    scale = len(traces.issue) / max(1, len(traces.normal))
    found = []
    for entity, count in Counter(s.entity for s in now).most_common():
        usual = before[entity] * scale
        if entity and count > 2 * usual:
            example = max((s for s in now if s.entity == entity), key=lambda s: len(s.error))
            found.append(Origin(entity, count, usual, example))
    return found


def _begun(traces: Traces, spans: Iterable[Span]) -> Iterable[Span]:
    for span in spans:
        if span.error and not any(child.error for child in traces.children.get((span.trace, span.id), ())):
            yield span
