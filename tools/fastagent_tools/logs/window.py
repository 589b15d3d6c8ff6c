"""Which events a question is about: a service, a stretch of time."""

import re

from fastagent.errors import ToolError
from fastagent_tools.logs.corpus import Corpus
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.groups import span_of
from fastagent_tools.text.times import Clock

_LAST = re.compile(r"(\d+)\s*(s|m|h|d)$")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def choose(corpus: Corpus, service: str, since: str, until: str) -> list[Event]:
    """The events asked for. Raises `ToolError` for a service that logs nothing here or a time that cannot be read."""
    events = [e for e in corpus.events if not service or _is_of(corpus, e, service)]
    if service and corpus.events and not events:
        raise ToolError(f"no logs of service {service!r}; there are logs of {', '.join(services(corpus))}")
    if not since and not until:
        return events
    span = span_of(corpus.events)
    if span is None:
        raise ToolError("these logs have no time stamps; ask without since and until")
    low, high = _moment(since, span.end_s, -1e18), _moment(until, span.end_s, 1e18)
    return [e for e in events if e.stamp and low <= e.stamp.at_s <= high]


def services(corpus: Corpus, most: int = 30) -> list[str]:
    """Who logs here, by name."""
    return sorted({e.service for e in corpus.events})[:most]


def _is_of(corpus: Corpus, event: Event, service: str) -> bool:
    return service in (event.service, corpus.files[event.file].service, corpus.files[event.file].path)


def _moment(text: str, end_s: float, default: float) -> float:
    """A time stamp, or "15m": that long before the end of the logs."""
    if not text:
        return default
    if match := _LAST.match(text.strip()):
        return end_s - int(match[1]) * _UNIT_S[match[2]]
    stamp = Clock(1970).read(text.strip())
    if stamp is None:
        stamp = Clock(1970).read(f"{text.strip()}:00") or Clock(1970).read(f"{text.strip()} 00:00:00")
    if stamp is None:
        raise ToolError(f"cannot read the time {text!r}; write 2026-12-01T05:40:00Z, or 15m for the last 15 minutes")
    return stamp.at_s
