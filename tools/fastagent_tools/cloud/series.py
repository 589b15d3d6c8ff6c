"""Metric series as CloudWatch and its kind return them, in one form."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastagent_tools.text.fields import Json, items, mapping, number, pick, text

_LISTS = ("metric_data_results", "MetricDataResults", "metrics", "series", "results", "Datapoints", "datapoints")


@dataclass(frozen=True, slots=True)
class Series:
    """Values in order of time. `entity` is whom the metric is about; `unit` as the provider words it."""

    name: str
    entity: str
    unit: str
    times: tuple[str, ...]
    values: tuple[float, ...]


def series_in(document: Any) -> Iterator[Series]:
    """All series of a document; those with fewer than three numbers say nothing."""
    for entry in [e for name in _LISTS for e in items(document, name)]:
        found = _series(entry)
        if found and len(found.values) >= 3:
            yield found
    if items(document, "Datapoints", "datapoints"):
        points = sorted(items(document, "Datapoints", "datapoints"), key=lambda p: text(p, "Timestamp", "timestamp"))
        yield from _of_points(document, points)


def _series(entry: Json) -> Series | None:
    values, times = pick(entry, "values", "Values"), pick(entry, "timestamps", "Timestamps")
    if not isinstance(values, list):
        return None
    stamps = [text(t) for t in times] if isinstance(times, list) else []
    stamps += [""] * (len(values) - len(stamps))
    pairs = [(t, v) for t, v in zip(stamps, map(number, values), strict=False) if v is not None]
    if len(pairs) > 1 and pairs[0][0] > pairs[-1][0]:  # CloudWatch gives the newest first unless asked otherwise
        pairs.reverse()
    name = text(entry, "metric_name", "MetricName", "label", "Label", "name")
    return Series(
        name, _entity(entry), text(entry, "unit", "Unit"), tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
    )


def _of_points(document: Json, points: list[Json]) -> Iterator[Series]:
    pairs = [
        (text(p, "Timestamp", "timestamp"), number(p, "Average", "Maximum", "Sum", "Minimum", "value")) for p in points
    ]
    kept = [(t, v) for t, v in pairs if v is not None]
    if len(kept) >= 3:
        unit = text(points[0], "Unit", "unit")
        name = text(document, "Label", "metric_name", "MetricName")
        yield Series(name, _entity(document), unit, tuple(t for t, _ in kept), tuple(v for _, v in kept))


def _entity(entry: Json) -> str:
    dimensions = items(entry, "dimensions", "Dimensions")
    named = [text(d, "Value", "value") for d in dimensions]
    plain = [text(v) for v in mapping(entry, "dimensions").values()]
    return next((n for n in (*named, *plain) if n), "")
