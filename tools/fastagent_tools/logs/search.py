"""The tool `search_logs`: lines that match a pattern, with the lines around them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastagent.errors import InputError, ToolError
from fastagent.pattern import compile_pattern
from fastagent.state import Finding, Observation, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.logs import levels
from fastagent_tools.logs.corpus import Corpus, corpus_of
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.fatal import fault_of
from fastagent_tools.logs.groups import HARMLESS, own_words
from fastagent_tools.logs.layout import strip_ansi
from fastagent_tools.logs.window import choose
from fastagent_tools.text.quote import quote, shorten
from fastagent_tools.text.times import iso

MAX_TEXT = 2_500
_MAX_SHOWN = 12
_CHECK_EVERY = 2_000  # events between two looks at the clock


@dataclass(frozen=True, slots=True)
class Match:
    """An event and the line of it that matched."""

    event: Event
    line: int


@tool(expect_s=0.3)
def search_logs(
    scope: Scope, pattern: str, service: str = "", level: str = "", since: str = "", until: str = "", limit: int = 20
) -> Observation:
    """Log lines that match a regular expression (RE2, case ignored), with counts per service, first and last match.

    `level` keeps lines at least that severe ("warning", "error"). `service`, `since`, `until` as in log_overview.
    """
    try:
        compiled = compile_pattern(pattern)
    except InputError as error:
        raise ToolError(str(error)) from None
    corpus = corpus_of(scope)
    if not corpus.files:
        return Observation("No logs here.", gaps=corpus.gaps)
    events = choose(corpus, service, since, until)
    found, looked_at = _search(scope, corpus, _at_least(events, level), compiled)
    notes = [*corpus.left_out]
    if looked_at < len(events) and not level:
        notes.insert(0, f"{len(events) - looked_at} events (no time)")
    shown = _choose_shown(found, max(1, min(limit, _MAX_SHOWN)))
    if len(found) > len(shown):
        notes.insert(0, f"{len(found) - len(shown)} more matches")
    return Observation(
        summary=shorten(_summary(pattern, found), 400),
        findings=tuple(_finding(corpus, m) for m in shown),
        text=_excerpt(corpus, shown),
        left_out=shorten("; ".join(notes), 600),
        examined=sum(e.lines for e in events),
        gaps=corpus.gaps,
        source=Source(file=corpus.files[shown[0].event.file].path) if shown else Source(),
    )


def _at_least(events: Sequence[Event], level: str) -> Sequence[Event]:
    if not level:
        return events
    least = levels.of_word(level)
    if not least:
        raise ToolError(f"unknown level {level!r}; levels are {', '.join(levels.ORDER[1:])}")
    return [e for e in events if levels.RANK[e.level] >= levels.RANK[least]]


def _search(scope: Scope, corpus: Corpus, events: Sequence[Event], compiled: Any) -> tuple[list[Match], int]:
    """All matches, and how many events were looked at before time ran out. Newest events are looked at first."""
    found: list[Match] = []
    for count, event in enumerate(reversed(events)):
        if count % _CHECK_EVERY == 0 and scope.left_s() <= 0:
            return found[::-1], count
        found.extend(_matches(corpus, event, compiled))
    return found[::-1], len(events)


def _matches(corpus: Corpus, event: Event, compiled: Any) -> Iterator[Match]:
    """The first matching line of an event: an event counts once."""
    file = corpus.files[event.file]
    for line in range(event.line, event.line + event.lines):
        if compiled.search(strip_ansi(file.raw(line))):
            yield Match(event, line)
            return


def _choose_shown(found: Sequence[Match], limit: int) -> Sequence[Match]:
    """First matches and last ones: where it began and how it is now."""
    if len(found) <= limit:
        return found
    late = limit // 3
    return [*found[: limit - late], *found[len(found) - late :]]


def _finding(corpus: Corpus, match: Match) -> Finding:
    event, file = match.event, corpus.files[match.event.file]
    fault = fault_of(own_words(event.message) if event.level in HARMLESS and not event.guessed else event.message)
    level = fault.level_of(event.level, guessed=event.guessed) if fault else event.level
    return Finding(
        kind=f"log.fatal.{fault.name}" if fault else "log.match",
        statement=shorten(event.message, 240),
        severity=levels.severity(level),
        entity=event.service,
        time=iso(event.stamp),
        quote=quote(file.raw(match.line)),
        source=Source(file=file.path, line=file.number(match.line)),
        score=0.2 + 0.5 * (levels.RANK[level] / levels.RANK["critical"]),
        reason="matches the pattern" + (f"; {fault.says}" if fault else ""),
    )


def _summary(pattern: str, found: Sequence[Match]) -> str:
    if not found:
        return f"No line matches {shorten(pattern, 200)!r}."
    per = Counter(m.event.service for m in found).most_common(8)
    times = [iso(m.event.stamp) for m in sorted(found, key=_at) if m.event.stamp]
    span = f", first {times[0]}, last {times[-1]}" if times else ""
    return f"{len(found)} matches{span}: " + ", ".join(f"{service} {count}" for service, count in per)


def _at(match: Match) -> float:
    return match.event.stamp.at_s if match.event.stamp else 0.0


def _excerpt(corpus: Corpus, shown: Sequence[Match]) -> str:
    """Each match with the line before and after it."""
    parts = []
    for m in shown:
        file = corpus.files[m.event.file]
        around = [(n, file.raw(n)) for n in range(m.line - 1, m.line + 2) if file.raw(n)]
        parts += [
            f"{file.path}:{n}{'>' if n == m.line else ' '} {shorten(strip_ansi(text), 200)}" for n, text in around
        ]
    return "\n".join(dict.fromkeys(parts))[:MAX_TEXT]
