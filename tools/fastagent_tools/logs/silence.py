"""Who has fallen silent: a service that logged steadily and no longer does, while others go on.

A process that hangs, or is gone, complains of nothing. What tells is that its lines stop.
"""

from collections.abc import Sequence
from itertools import pairwise

from fastagent.state import Finding, Source
from fastagent_tools.logs.corpus import Corpus
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.groups import Span, span_of
from fastagent_tools.text.quote import quote, shorten
from fastagent_tools.text.times import iso

LEAST_EVENTS = 30  # with fewer nobody can say what is steady
TIMES_LONGEST_GAP = 4.0  # how much longer than ever before a pause is silence
LEAST_S = 5.0
LEAST_SHARE = 0.1  # of the whole time: a log that merely was cut a little earlier is no silence
SCORE = 0.5


def fallen_silent(corpus: Corpus) -> tuple[Finding, ...]:
    """A finding for each service whose lines stopped, latest first."""
    spoken = [e for e in corpus.events if e.stamp and not corpus.files[e.file].reference]
    span = span_of(spoken)
    if span is None:
        return ()
    by_service: dict[str, list[Event]] = {}
    for event in sorted(spoken, key=_at):
        if span.holds(_at(event)):
            by_service.setdefault(event.service, []).append(event)
    if len(by_service) < 2:
        return ()
    found = [_finding(corpus, events[-1], span.end_s) for events in by_service.values() if _is_silent(events, span)]
    return tuple(sorted(found, key=lambda f: f.time or "", reverse=True))


def _is_silent(events: Sequence[Event], span: Span) -> bool:
    if len(events) < LEAST_EVENTS:
        return False
    pause_s = span.end_s - _at(events[-1])
    longest_s = max(_at(b) - _at(a) for a, b in pairwise(events))
    return pause_s >= max(LEAST_S, TIMES_LONGEST_GAP * longest_s, LEAST_SHARE * (span.end_s - span.start_s))


def _finding(corpus: Corpus, last: Event, ends_s: float) -> Finding:
    file = corpus.files[last.file]
    pause_s, words = ends_s - _at(last), shorten(last.message, 120)
    return Finding(
        kind="log.silent",
        statement=f"{last.service} has logged nothing for the last {pause_s:.0f} s; its last words: {words}",
        severity="warning",
        entity=last.service,
        time=iso(last.stamp),
        quote=quote(file.raw(last.line)),
        source=Source(file=file.path, line=file.number(last.line)),
        score=SCORE,
        reason="it logged steadily before, and others go on",
    )


def _at(event: Event) -> float:
    return event.stamp.at_s if event.stamp else 0.0
