"""All spans of a bundle, read once a run and shared by the tools that need them."""

from datetime import UTC, datetime
from threading import Lock

import orjson

from fastagent.bundle import BundleFile
from fastagent.state import Gap
from fastagent.toolbox import Scope
from fastagent_tools.metrics.load import MAX_BYTES, names_of
from fastagent_tools.text.intake import read_log
from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock
from fastagent_tools.traces.documents import read_document
from fastagent_tools.traces.span import Span, Traces
from fastagent_tools.traces.table import read_table

_LOCK = Lock()
LEAD_S = 300.0  # alerts fire minutes after the trouble began


def traces_of(scope: Scope) -> tuple[Traces, tuple[Gap, ...]]:
    """The bundle's traces and what could not be read. Tools ask from several threads; the first one reads."""
    with _LOCK:
        if "traces" not in scope.memo:
            scope.memo["traces"] = _read(scope)
    found: tuple[Traces, tuple[Gap, ...]] = scope.memo["traces"]
    return found


def _read(scope: Scope) -> tuple[Traces, tuple[Gap, ...]]:
    names, clock = names_of(scope), Clock(datetime.now(UTC).year)
    spans: list[Span] = []
    gaps: list[Gap] = []
    for file in scope.bundle.of_part("traces") if scope.bundle else ():
        if scope.left_s() <= 0:
            gaps.append(Gap(file.path, "timeout"))
            continue
        found, wrong = _of_file(scope, file, names, clock)
        spans += found
        gaps += wrong
    started = clock.read(scope.incident.started_at or "")
    return _divide(spans, started.at_s if started else None), tuple(gaps)


def _divide(spans: list[Span], started_s: float | None) -> Traces:
    """Into normal and not: by the files' names where they tell, else by when the trouble is said to have begun."""
    if any(s.reference for s in spans):
        normal = [s for s in spans if s.reference]
    else:
        normal = [s for s in spans if started_s is not None and s.start_s + s.duration_s < started_s - LEAD_S]
    known = {id(s) for s in normal}
    return Traces(spans, [s for s in spans if id(s) not in known], normal)


def _of_file(scope: Scope, file: BundleFile, names: Names, clock: Clock) -> tuple[list[Span], list[Gap]]:
    raw = read_log(scope.bundle.locate(file.path), file.path, MAX_BYTES, lambda: scope.left_s() > 0)  # type: ignore[union-attr]
    sheet = Sheet(file.path, raw.lines, max(raw.first, 1))
    head = next((line.lstrip() for line in raw.lines if line.strip()), "")
    try:
        if head.startswith(("{", "[")):
            found = read_document(_documents(raw.lines), sheet, names, clock, reference=file.reference)
        else:
            found = read_table(sheet, names, clock, reference=file.reference)
    except ValueError:
        return [], [*raw.gaps, Gap(file.path, "unreadable")]
    return found, list(raw.gaps)


def _documents(lines: list[str]) -> object:
    """One JSON document, or one a line."""
    try:
        return orjson.loads("\n".join(lines))
    except ValueError:
        return [orjson.loads(line) for line in lines if line.strip()]
