"""Ranked groups as findings, and the `logs` section of the report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fastagent.state import Finding, Source
from fastagent_tools.logs import levels
from fastagent_tools.logs.analysis import Analysis
from fastagent_tools.logs.corpus import Corpus
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.groups import Group, Span
from fastagent_tools.logs.layout import strip_ansi
from fastagent_tools.logs.novelty import Ranked
from fastagent_tools.text.quote import quote, shorten
from fastagent_tools.text.times import Stamp, iso

MAX_FINDINGS = 12
MAX_KEY_LINES = 10
_BUCKETS = 60


def finding(corpus: Corpus, ranked: Ranked) -> Finding:
    """One group, said in words, with the line that tells most."""
    group = ranked.group
    event = group.first
    file = corpus.files[event.file]
    line = event.cause_line or event.line
    return Finding(
        kind=ranked.kind,
        statement=shorten(_statement(group), 280),
        severity=levels.severity(group.level),
        entity=group.service,
        time=iso(event.stamp),
        quote=quote(file.raw(line)),
        source=Source(file=file.path, line=file.number(line)),
        score=ranked.score,
        reason=ranked.reason,
    )


def _statement(group: Group) -> str:
    event = group.first
    since = iso(event.stamp)
    times = f"{group.count} times since {since}" if group.count > 1 and since else ""
    times = times or (f"{group.count} times" if group.count > 1 else "")
    what = event.cause or event.message
    if event.cause and event.cause not in event.message and not event.message.startswith("Traceback"):
        what = f"{shorten(event.message, 120)} ({event.cause})"
    named = f"{group.fault.says}: " if group.fault else ""
    return f"{named}{shorten(what, 200)}" + (f" [{times}]" if times else "")


def report(corpus: Corpus, found: Analysis) -> Mapping[str, Any]:
    """The section `logs` of the report. Counts are of lines that were read, so that they add up."""
    return {
        "lines": corpus.lines,
        "files": [
            {"path": f.path, "format": f.layout.name, "confidence": f.layout.confidence,
             "lines": len(f.lines) - f.parsed_from, "unparsed": f.unparsed}
            for f in corpus.files
        ],
        "severity": found.severity,
        "found": found.found,
        "key_lines": _key_lines(corpus, found.ranked),
        "levels": dict(Counter(event.level or "unknown" for event in found.events)),
        "histogram": _histogram(found.events, found.span),
        "templates": [_template(corpus, g) for g in sorted(found.groups, key=lambda g: -g.count)[:10]],
    } | ({"baseline": found.baseline.report(found.groups, len(found.events))} if found.baseline else {})  # fmt: skip


def _key_lines(corpus: Corpus, ranked: Sequence[Ranked]) -> list[dict[str, Any]]:
    """The lines a reader should go to. Of a stack trace both the line that names the root and where it begins."""
    lines: list[dict[str, Any]] = []
    for r in ranked:
        event, path = r.group.first, corpus.files[r.group.first.file].path
        number = corpus.files[event.file].number
        if event.cause_line:
            lines.append({"file": path, "line": number(event.cause_line), "why": r.reason})
        lines.append({"file": path, "line": number(event.line), "why": r.reason})
    return lines[:MAX_KEY_LINES]


def _histogram(events: Sequence[Event], span: Span | None) -> list[list[Any]]:
    """[begin, lines, errors] for at most 60 stretches of equal length, whole minutes where the span allows."""
    if span is None:
        return []
    width_s = max(60.0, ((span.end_s - span.start_s) // (_BUCKETS - 1) // 60 + 1) * 60.0)
    lines: Counter[int] = Counter()
    errors: Counter[int] = Counter()
    for event in events:
        if event.stamp:
            bucket = int(event.stamp.at_s // width_s)
            lines[bucket] += 1
            errors[bucket] += levels.RANK[event.level] >= levels.RANK["error"]
    return [[iso(Stamp(b * width_s, zoned=True)), lines[b], errors[b]] for b in sorted(lines)][:_BUCKETS]


def _template(corpus: Corpus, group: Group) -> dict[str, Any]:
    file = corpus.files[group.first.file]
    return {"template": shorten(strip_ansi(group.template), 200), "count": group.count,
            "level": group.level or "unknown", "file": file.path, "line": file.number(group.first.line)}  # fmt: skip
