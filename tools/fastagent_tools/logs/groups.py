"""Events grouped by what they say: how often, when, how bad, and the first example."""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from fastagent_tools.logs import levels
from fastagent_tools.logs.corpus import Corpus
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.fatal import Fatal, fault_of
from fastagent_tools.logs.layout import strip_ansi

STRAY_SHARE = 0.02  # of all lines: so few with another clock, or from another day, are strays …
STRAY_S = 3600.0  # … if they stand as far apart as this, and farther than all the others together
HARMLESS = ("info", "debug", "trace")  # lines that say so themselves are believed, but for faults in their own words
_QUOTED = re.compile(
    r'"[^"]{0,4000}"|\S{0,2000}[?&][\w.-]{1,100}=\S{0,4000}|\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) \S{1,4000}'
)


@dataclass(slots=True)
class Group:
    """All events of one template, level and service. `places` are positions in the logs, 0 (begin) to 1 (end)."""

    template: str
    service: str
    level: str  # as logged, raised where the words name a fault
    first: Event
    last: Event
    fault: Fatal | None = None
    count: int = 0
    places: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(frozen=True, slots=True)
class Span:
    """The time that a set of events covers, seconds since the epoch; nothing where they have no clock."""

    start_s: float
    end_s: float

    def place(self, at_s: float) -> float:
        """A moment as a share of the span; below 0 or above 1 where it lies outside."""
        return (at_s - self.start_s) / max(self.end_s - self.start_s, 1e-9)

    def holds(self, at_s: float) -> bool:
        """Whether a moment lies in the span."""
        return self.start_s <= at_s <= self.end_s


def span_of(events: Iterable[Event]) -> Span | None:
    """From the first stamp to the last, but for strays: a few lines with another clock do not stretch the time."""
    stamps = sorted(e.stamp.at_s for e in events if e.stamp)
    if not stamps:
        return None
    few = int(STRAY_SHARE * len(stamps))
    start_s, end_s = stamps[few], stamps[-1 - few]
    for at_s in reversed(stamps[:few]):
        if start_s - at_s > max(end_s - start_s, STRAY_S):
            break
        start_s = at_s
    for at_s in stamps[len(stamps) - few :]:
        if at_s - end_s > max(end_s - start_s, STRAY_S):
            break
        end_s = at_s
    return Span(start_s, end_s)


def group(corpus: Corpus, events: Iterable[Event], span: Span | None) -> list[Group]:
    """The groups, in order of first appearance. Lines without a stamp are placed by their line number."""
    groups: dict[tuple[str, str, str, str], Group] = {}
    ends = [max(f.first + len(f.lines), 1) for f in corpus.files]
    mask = corpus.masker.mask
    for event in events:
        template = mask(event.message)
        key = (template, event.level, event.service, mask(event.cause) if event.cause else "")
        found = groups.get(key)
        if found is None:
            found = groups[key] = _begin(corpus, event, template)
        place = (
            min(max(span.place(event.stamp.at_s), 0.0), 1.0) if span and event.stamp else event.line / ends[event.file]
        )
        _add(found, event, place)
    return list(groups.values())


def own_words(message: str) -> str:
    """A message without what it quotes: addresses, queries and agents are whatever a stranger sent."""
    return _QUOTED.sub(" ", message)


def _begin(corpus: Corpus, event: Event, template: str) -> Group:
    said = f"{event.message}\n{event.cause}" if event.cause else event.message
    if event.lines > 1 and not event.stack:
        file = corpus.files[event.file]
        said += "\n" + "\n".join(strip_ansi(file.raw(event.line + i)) for i in range(1, min(event.lines, 6)))
    fault = fault_of(own_words(said) if event.level in HARMLESS and not event.guessed else said)
    level = fault.level_of(event.level, guessed=event.guessed) if fault else event.level
    if event.stack and event.level in ("", "info"):
        level = levels.worse(level, "error")
    return Group(template, event.service, level, event, event, fault)


def _add(found: Group, event: Event, place: float) -> None:
    found.count += 1
    found.places.append(place)
    if event.stamp and found.last.stamp and event.stamp < found.last.stamp:
        if found.first.stamp and event.stamp < found.first.stamp:
            found.first = event
        return
    found.last = event
