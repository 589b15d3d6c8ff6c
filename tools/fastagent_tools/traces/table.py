"""Spans from CSV: a row each, columns found by their names."""

import csv
import re
from collections.abc import Mapping, Sequence

from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock
from fastagent_tools.traces.span import Span

_COLUMNS = {
    "trace": ("traceid", "trace"),
    "id": ("spanid", "id"),
    "parent": ("parentid", "parentspanid", "parentspan", "parent"),
    "entity": ("service", "servicename", "podname", "pod", "cmdbid", "component", "process", "container", "host"),
    "name": ("operationname", "operation", "name", "spanname", "methodname", "url"),
    "start": ("starttimeunixnano", "starttime", "start", "timestamp", "time", "startedat", "begin"),
    "end": ("endtimeunixnano", "endtime", "end", "endedat"),
    "duration": (
        "duration",
        "durationms",
        "durationus",
        "durationns",
        "durations",
        "elapsed",
        "elapsedtime",
        "latency",
    ),
    "status": ("status", "statuscode", "success", "error", "iserror"),
    "message": ("errormessage", "statusmessage", "exception", "errormsg"),
}
_UNITS_S = {"durationms": 1e-3, "durationus": 1e-6, "durationns": 1e-9, "durations": 1.0}
_NOTHING = {"", "root", "none", "null", "nan", "0", "-"}
FAILED = re.compile(r"error|fail|true|false_success|^[45]\d\d$|^2$|exception", re.IGNORECASE)


class NotSpansError(ValueError):
    """The file holds no spans: the columns for trace, span and time are not there."""


def read_table(sheet: Sheet, names: Names, clock: Clock, *, reference: bool) -> list[Span]:
    """The spans of a CSV file; rows that do not fit are passed over. Raises `NotSpansError`."""
    rows = csv.reader(sheet.lines)
    try:
        header = [re.sub(r"[^a-z]", "", cell.lower()) for cell in next(rows)]
    except (StopIteration, csv.Error):
        return []
    at = {field: next((header.index(n) for n in wanted if n in header), -1) for field, wanted in _COLUMNS.items()}
    if min(at["trace"], at["id"], at["start"]) < 0:
        raise NotSpansError
    unit_s = _UNITS_S.get(header[at["duration"]], 1e-6) if at["duration"] >= 0 else 1e-6
    found = []
    try:
        for row in rows:
            span = _span(row, at, unit_s, sheet, rows.line_num - 1, names, clock, reference=reference)
            found += [span] if span else []
    except csv.Error:
        pass  # a NUL byte or a field of megabytes: what stood before it is kept
    return found


def _span(
    row: Sequence[str],
    at: Mapping[str, int],
    unit_s: float,
    sheet: Sheet,
    number: int,
    names: Names,
    clock: Clock,
    *,
    reference: bool,
) -> Span | None:
    def cell(field: str) -> str:
        place = at[field]
        return row[place].strip() if 0 <= place < len(row) else ""

    start, end = clock.read(cell("start")), clock.read(cell("end"))
    if start is None or not cell("trace"):
        return None
    try:
        duration_s = end.at_s - start.at_s if end else float(cell("duration") or 0) * unit_s
    except ValueError:
        duration_s = 0.0
    parent = cell("parent")
    return Span(
        cell("trace"),
        cell("id"),
        "" if parent.lower() in _NOTHING else parent,
        names.canonical(cell("entity")),
        cell("name"),
        start.at_s,
        max(0.0, duration_s),
        _error(cell("status"), cell("message")),
        sheet,
        number,
        reference,
    )


def _error(status: str, message: str) -> str:
    if message:
        return message
    return status if FAILED.search(status) else ""
