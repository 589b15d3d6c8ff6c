"""A span: one operation of one entity, and where it stands in its file."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fastagent_tools.text.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Span:
    """Times in seconds; `parent` is "" for the first span of a trace."""

    trace: str
    id: str
    parent: str
    entity: str
    name: str
    start_s: float  # since the epoch
    duration_s: float
    error: str  # what went wrong, "" = nothing is said to
    sheet: Sheet
    row: int  # index into sheet.lines
    reference: bool = False  # recorded while all was well


@dataclass(frozen=True)
class Traces:
    """Spans of the time of trouble and of a time before it."""

    spans: Sequence[Span]
    issue: Sequence[Span]
    normal: Sequence[Span]

    @cached_property
    def by_id(self) -> dict[tuple[str, str], Span]:
        """(trace, span id) -> span."""
        return {(s.trace, s.id): s for s in self.spans}

    @cached_property
    def children(self) -> dict[tuple[str, str], list[Span]]:
        """(trace, span id) -> the spans it called."""
        found: dict[tuple[str, str], list[Span]] = {}
        for span in self.spans:
            if span.parent:
                found.setdefault((span.trace, span.parent), []).append(span)
        return found

    def parent_of(self, span: Span) -> Span | None:
        """Who called, if that was recorded."""
        return self.by_id.get((span.trace, span.parent))
