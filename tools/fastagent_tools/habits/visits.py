"""Visits: what one service did in one request, read from log lines and spans that carry the request's id.

A step is a place in the code if the line names one, else the beginning of the line's template; or an operation of a
span. Only what carries an id counts: without it nothing says which lines belong together.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from fastagent.toolbox import Scope
from fastagent_tools.logs import levels
from fastagent_tools.logs.corpus import Corpus, corpus_of
from fastagent_tools.logs.events import Event
from fastagent_tools.text.times import Clock
from fastagent_tools.traces.load import traces_of
from fastagent_tools.traces.span import Span

MOST_EVENTS = 200_000  # of the newest: more than half a second of work
MOST_STEPS = 60  # of one visit: pairs of them are counted
STEP_CHARS = 60  # of a template: what follows are values that no mask knows
LEAD_SHARE, LEAD_MOST_S = 0.1, 120.0  # of the time before an alert, so much is trouble already
LOOK_AT_CHARS = 400  # of a line for the name of an exception; stacks below it repeat it
PLACE_CHARS = 300
_EXCEPTION = re.compile(r"\b\w*Exception\b|\bexception\b|\bthrew\b|\bpanic\b|\b[A-Z]\w+Error\b")
_ID = re.compile(
    r"(?:trace|request|correlation|req)[ _.-]?id[\"'=: ,\\\[]{1,6}([0-9a-f][0-9a-f-]{7,39})|\b([0-9a-f]{32})\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:[\w$]+\.)*[A-Z][\w$]*#\d+\b|\b[\w/-]+\.(?:java|kt|scala|go|py|rb|php|cs|js|ts|rs|cc|cpp|c):\d+\b"
)


@dataclass(slots=True)
class Visits:
    """Steps by service and request: in good times and since the trouble; and what shows each step."""

    before: dict[str, dict[str, set[str]]] = field(default_factory=dict)  # service -> request -> steps
    since: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    failures: set[tuple[str, str]] = field(default_factory=set)  # (service, step) that speak of an error
    exceptions: set[tuple[str, str]] = field(default_factory=set)  # those of them that an exception brought about
    shown: dict[tuple[str, str, bool], Event | Span] = field(default_factory=dict)  # (service, step, since)

    def add(self, service: str, request: str, step: str, seen: Event | Span, *, since: bool) -> None:
        """One step."""
        steps = (self.since if since else self.before).setdefault(service, {}).setdefault(request, set())
        if len(steps) < MOST_STEPS:
            steps.add(step)
            self.shown.setdefault((service, step, since), seen)

    def count(self, service: str, step: str) -> tuple[int, int]:
        """In how many requests a step was taken, before and since."""
        return tuple(sum(step in v for v in d.get(service, {}).values()) for d in (self.before, self.since))  # type: ignore[return-value]


def visits_of(scope: Scope) -> Visits:
    """All visits of a run. Where no good time is known there is nothing to compare with: none."""
    visits = Visits()
    _logged(visits, corpus_of(scope), scope.incident.started_at)
    _traced(visits, scope)
    return visits


def _logged(visits: Visits, corpus: Corpus, started_at: str | None) -> None:
    marked = any(f.reference for f in corpus.files)
    events = corpus.events[-MOST_EVENTS:]
    until_s = None if marked else _good_until(events, started_at)
    if not marked and until_s is None:
        return
    for event in events:
        file = corpus.files[event.file]
        raw = file.raw(event.line)
        found = _ID.search(raw)
        if found is None or not event.service:
            continue
        request = found[1] or found[2]
        step = step_of(corpus, event, request)
        since = not file.reference if marked else bool(event.stamp and until_s and event.stamp.at_s > until_s)
        visits.add(event.service, request, step, event, since=since)
        if event.stack or levels.RANK[event.level] >= levels.RANK["error"]:
            visits.failures.add((event.service, step))
            if event.stack or _EXCEPTION.search(event.message, 0, LOOK_AT_CHARS):
                visits.exceptions.add((event.service, step))


def step_of(corpus: Corpus, event: Event, request: str) -> str:
    """What a line says was done, without its particulars and without the request's id."""
    place = _PLACE.search(event.message, 0, PLACE_CHARS)
    return place[0] if place else corpus.masker.mask(event.message.replace(request, ""))[:STEP_CHARS]


def _traced(visits: Visits, scope: Scope) -> None:
    """Operations join the visits that the logs know; of a service without such logs they are all that is known.

    Traces are often a sample: a visit that was logged and not traced says nothing of operations it did not make.
    """
    traces, _ = traces_of(scope)
    logged = set(visits.before) | set(visits.since)
    for spans, since in ((traces.normal, False), (traces.issue, True)):
        known = visits.since if since else visits.before
        for span in spans:
            if span.entity not in logged or span.trace in known.get(span.entity, ()):
                step = f"operation {span.name}"
                visits.add(span.entity, span.trace, step, span, since=since)
                if span.error:
                    visits.failures.add((span.entity, step))


def _good_until(events: Iterable[Event], started_at: str | None) -> float | None:
    started = Clock(1970).read(started_at) if started_at else None
    first_s = min((e.stamp.at_s for e in events if e.stamp), default=None)
    if started is None or first_s is None or started.at_s <= first_s:
        return None
    return started.at_s - min(LEAD_MOST_S, LEAD_SHARE * (started.at_s - first_s))
