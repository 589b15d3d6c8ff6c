"""CSV to series. Long: one value a row, with columns for time, metric and value. Wide: one column a metric."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence

from fastagent_tools.metrics.series import Series
from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock

_TIME = ("timestamp", "time", "ts", "date", "datetime", "timestamp_s", "epoch", "unix", "timeunixnano", "@timestamp")
_ENTITY = (
    "service", "servicename", "service_name", "app", "component", "pod", "podname", "pod_name", "container", "workload",
    "instance", "host", "hostname", "node", "resource", "entity", "job",
)  # fmt: skip
_METRIC = ("metric", "metric_name", "metricname", "name", "__name__", "kpi", "kpi_name", "kpi_id")
_VALUE = ("value", "val", "metric_value", "value_s")
_GO_TIME = re.compile(r" m=[+-][\d.]+$")  # the monotonic reading that Go prints after a time
_SUFFIX = re.compile(r"[_.-]?(metrics?|stats?)$", re.IGNORECASE)

ReadTime = Callable[[str], float | None]


class NoTimeColumnError(ValueError):
    """A table without times: its rows cannot be placed before or after anything."""


def read_table(sheet: Sheet, stem: str, names: Names, clock: Clock) -> list[Series]:
    """The series of a CSV file. Raises `NoTimeColumnError`; rows that do not fit are passed over."""
    rows = csv.reader(sheet.lines)
    try:
        header = [cell.strip() for cell in next(rows)]
    except (StopIteration, csv.Error):
        return []
    folded = [re.sub(r"[\s_]*[(\[].*", "", cell).lower() for cell in header]
    times = [i for i, name in enumerate(folded) if name in _TIME]
    if not times:
        raise NoTimeColumnError
    first = sheet.lines[1].split(",") if len(sheet.lines) > 1 else []
    read = _reader(clock)
    at = next((i for i in times if i < len(first) and read(first[i]) is not None), times[0])
    columns = {name: i for i, name in reversed(list(enumerate(folded)))}
    value = _first(columns, _VALUE)
    metric = _first(columns, _METRIC)
    if value is not None and metric is not None:
        return _long(sheet, rows, at, _first(columns, _ENTITY), metric, value, stem, names, read)
    return _wide(sheet, rows, header, at, set(times), _first(columns, _ENTITY), stem, names, read)


def _first(columns: Mapping[str, int], wanted: Sequence[str]) -> int | None:
    return next((columns[name] for name in wanted if name in columns), None)


def _reader(clock: Clock) -> ReadTime:
    """Times to seconds, each distinct text parsed once: rows of many series share it."""
    seen: dict[str, float | None] = {}

    def read(text: str) -> float | None:
        if text not in seen:
            stamp = clock.read(_GO_TIME.sub("", text).replace(" +0000 UTC", "Z").strip())
            seen[text] = stamp.at_s if stamp else None
        return seen[text]

    return read


def _long(
    sheet: Sheet,
    rows: "csv.Reader",  # type: ignore[name-defined]
    at: int,
    entity: int | None,
    metric: int,
    value: int,
    stem: str,
    names: Names,
    read: ReadTime,
) -> list[Series]:
    found: dict[tuple[str, str], Series] = {}
    need = max(at, metric, value, entity or 0)
    for row in _sound(rows):
        if len(row) <= need:
            continue
        time_s, number = read(row[at]), _number(row[value])
        if time_s is None or number is None:
            continue
        key = (row[entity] if entity is not None else stem, row[metric])
        series = found.get(key)
        if series is None:
            series = found[key] = Series(names.canonical(key[0]), key[1], sheet)
        _append(series, time_s, number, rows.line_num - 1)
    return list(found.values())


def _wide(
    sheet: Sheet,
    rows: "csv.Reader",  # type: ignore[name-defined]
    header: Sequence[str],
    at: int,
    not_values: set[int],
    entity: int | None,
    stem: str,
    names: Names,
    read: ReadTime,
) -> list[Series]:
    found: dict[tuple[str, int], Series] = {}
    not_values = not_values | ({entity} if entity is not None else set())
    columns = [i for i in range(len(header)) if i not in not_values]
    for row in _sound(rows):
        time_s = read(row[at]) if len(row) > at else None
        if time_s is None:
            continue
        whose = row[entity] if entity is not None and len(row) > entity else ""
        for column in columns:
            number = _number(row[column]) if column < len(row) else None
            if number is not None:
                key = (whose, column)
                series = found.get(key)
                if series is None:
                    series = found[key] = _column_series(sheet, header[column], column, whose, stem, names)
                _append(series, time_s, number, rows.line_num - 1)
    return list(found.values())


def _column_series(sheet: Sheet, title: str, column: int, whose: str, stem: str, names: Names) -> Series:
    """Named by the entity column, else by the column's own prefix, else by the file."""
    metric = title
    if not whose:
        if named := names.of_column(title):
            whose, metric = named[0], named[1] or stem
        else:
            whose = _SUFFIX.sub("", stem) or stem
    return Series(names.canonical(whose), metric, sheet, column=column)


def _sound(rows: "csv.Reader") -> "csv.Reader":  # type: ignore[name-defined]
    """Rows until the table ends or breaks (a NUL byte, a field of megabytes)."""
    while True:
        try:
            yield next(rows)
        except (StopIteration, csv.Error):
            return


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number - number == 0 else None  # neither infinite nor NaN


def _append(series: Series, time_s: float, value: float, row: int) -> None:
    series.times_s.append(time_s)
    series.values.append(value)
    series.rows.append(row)
