"""What Prometheus gives to series: the JSON of its query API, and the text that it scrapes (OpenMetrics)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from fastagent_tools.metrics.series import Series
from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet

_ENTITY_LABELS = (
    "service", "app", "job_name", "container", "deployment", "pod", "workload", "component", "instance", "node", "job",
)  # fmt: skip
_SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>[^}]*)\})?\s+(?P<value>[-+]?[\d.eE+-]+)(?:\s+(?P<at>\d+(?:\.\d+)?))?\s*(?:#.*)?$"
)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def read_api(sheet: Sheet, stem: str, names: Names) -> list[Series]:
    """The matrix or vector of an API answer. Raises `ValueError` where it is not JSON or has no such result."""
    value = orjson.loads("\n".join(sheet.lines))
    data = value.get("data") if isinstance(value, dict) else None
    result = data.get("result") if isinstance(data, dict) else None
    if not isinstance(result, list):
        raise ValueError("no data.result")  # noqa: TRY004 - what is wrong is the file, not a type of ours
    return [s for entry in result if isinstance(entry, dict) and (s := _of_entry(entry, sheet, stem, names)).values]


def _of_entry(entry: Mapping[str, Any], sheet: Sheet, stem: str, names: Names) -> Series:
    raw = entry.get("metric")
    labels = {str(k): str(v) for k, v in raw.items()} if isinstance(raw, dict) else {}
    series = Series(*_called(labels, labels.get("__name__", stem), stem, names), sheet)
    pairs = entry.get("values") or [entry.get("value")]
    for pair in pairs if isinstance(pairs, list) else []:
        _append_pair(series, pair)
    return series


def _append_pair(series: Series, pair: Any) -> None:
    try:
        time_s, value = float(pair[0]), float(pair[1])
    except (TypeError, ValueError, IndexError, KeyError):
        return
    if value - value == 0:
        series.times_s.append(time_s)
        series.values.append(value)
        series.rows.append(_row_of(series.sheet, str(pair[1]), str(pair[0])))


def _row_of(sheet: Sheet, value: str, time: str) -> int:
    """The line where a pair stands; 0 in a file that is all one line."""
    if len(sheet.lines) < 2:
        return 0
    return next((i for i, line in enumerate(sheet.lines) if time in line and value in line), 0)


def _called(labels: Mapping[str, str], name: str, stem: str, names: Names) -> tuple[str, str]:
    """Entity and metric. Labels that tell apart what the entity does not are kept in the metric's name."""
    key = next((k for k in _ENTITY_LABELS if labels.get(k)), "")
    further = ",".join(f"{k}={v}" for k, v in sorted(labels.items()) if k not in {"__name__", key, "instance", "job"})
    return names.canonical(labels.get(key, stem)), f"{name}{{{further}}}" if further else name


def read_text(sheet: Sheet, stem: str, names: Names) -> list[Series]:
    """Samples of the exposition format that carry a time; without one a sample is a snapshot and no series."""
    found: dict[tuple[str, str], Series] = {}
    for row, match in _samples(sheet):
        labels = dict(_LABEL.findall(match["labels"] or ""))
        key = _called(labels, match["name"], stem, names)
        series = found.setdefault(key, Series(*key, sheet))
        at = float(match["at"])
        try:
            value = float(match["value"])
        except ValueError:
            continue
        series.times_s.append(at / 1000 if at > 1e11 else at)
        series.values.append(value)
        series.rows.append(row)
    return list(found.values())


def _samples(sheet: Sheet) -> Iterator[tuple[int, re.Match[str]]]:
    for row, line in enumerate(sheet.lines):
        match = None if line.startswith("#") else _SAMPLE.match(line)
        if match and match["at"]:
            yield row, match
