"""Spans from JSON: OTLP, Jaeger, Zipkin, and flat lists of spans."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock
from fastagent_tools.traces.span import Span
from fastagent_tools.traces.table import FAILED, NotSpansError

Json = Mapping[str, Any]
_OTLP_ERROR = (2, "2", "STATUS_CODE_ERROR")
_DURATIONS = (
    ("duration_ms", 1e-3), ("durationMs", 1e-3), ("duration_us", 1e-6), ("duration_s", 1.0), ("duration_ns", 1e-9),
    ("duration", 1e-6),  # Zipkin and Jaeger count microseconds
)  # fmt: skip


def read_document(value: Any, sheet: Sheet, names: Names, clock: Clock, *, reference: bool) -> list[Span]:
    """The spans of a JSON document. Raises `NotSpansError` where it holds none."""
    flat = list(_flat(value))
    if not flat and value not in ([], {}):
        raise NotSpansError
    rows = _Rows(sheet)
    made = (_span(raw, rows, names, clock, reference=reference) for raw in flat)
    return [span for span in made if span is not None]


class _Rows:
    """In which line of the file an id stands; spans come in the order of the file, so the search goes on from there."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._from = 0

    def of(self, text: str) -> int:
        """The line's index; 0 where it stands nowhere."""
        lines = self.sheet.lines
        order = (*range(self._from, len(lines)), *range(self._from))
        self._from = next((row for row in order if text and text in lines[row]), 0)
        return self._from


def _flat(value: Any) -> Iterator[dict[str, Any]]:
    """Spans as flat mappings with the names of `_span`."""
    if isinstance(value, list):
        for entry in value:
            yield from _flat(entry)
    elif not isinstance(value, dict):
        return
    elif "resourceSpans" in value or "batches" in value:
        yield from _otlp(value.get("resourceSpans") or value.get("batches"))
    elif isinstance(value.get("spans"), list) and isinstance(value.get("processes"), dict):
        yield from _jaeger(value)
    elif any(key in value for key in ("trace_id", "traceId", "traceID")):
        yield dict(value)
    else:
        for key in ("data", "traces", "spans", "result"):
            if isinstance(value.get(key), list):
                yield from _flat(value[key])


def _otlp(resources: Any) -> Iterator[dict[str, Any]]:
    for resource in _mappings(resources):
        service = _attributes(_mapping(resource.get("resource")).get("attributes")).get("service.name", "")
        for scope in _mappings(resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans")):
            for span in _mappings(scope.get("spans")):
                status = _mapping(span.get("status"))
                failed = status.get("code") in _OTLP_ERROR
                yield {
                    "traceId": span.get("traceId"), "spanId": span.get("spanId"),
                    "parentSpanId": span.get("parentSpanId"),
                    "service": service, "name": span.get("name"), "start": span.get("startTimeUnixNano"),
                    "end": span.get("endTimeUnixNano"),
                    "error": (status.get("message") or _exception(span) or "error") if failed else "",
                }  # fmt: skip


def _exception(span: Json) -> str:
    for event in _mappings(span.get("events")):
        said = _attributes(event.get("attributes"))
        if "exception.type" in said or "exception.message" in said:
            return f"{said.get('exception.type', '')} {said.get('exception.message', '')}".strip()
    return ""


def _jaeger(trace: Json) -> Iterator[dict[str, Any]]:
    processes = _mapping(trace.get("processes"))
    for span in _mappings(trace.get("spans")):
        tags = {str(t.get("key")): t.get("value") for t in _mappings(span.get("tags"))}
        parent = next((r.get("spanID") for r in _mappings(span.get("references"))), "")
        failed = tags.get("error") in (True, "true") or str(tags.get("http.status_code", "")).startswith("5")
        yield {
            "traceId": span.get("traceID"), "spanId": span.get("spanID"), "parentSpanId": parent,
            "service": _mapping(processes.get(str(span.get("processID")))).get("serviceName"),
            "name": span.get("operationName"), "start": span.get("startTime"), "duration": span.get("duration"),
            "error": str(tags.get("error.message") or tags.get("http.status_code") or "error") if failed else "",
        }  # fmt: skip


def _span(raw: Json, rows: _Rows, names: Names, clock: Clock, *, reference: bool) -> Span | None:
    start = clock.read(_text(raw, "start", "start_time", "startTime", "timestamp", "startTimeUnixNano"))
    if start is None:
        return None
    end = clock.read(_text(raw, "end", "end_time", "endTime", "endTimeUnixNano"))
    ident = _text(raw, "span_id", "spanId", "spanID", "id")
    entity = _text(raw, "service", "service_name", "serviceName") or str(
        _mapping(raw.get("localEndpoint")).get("serviceName") or ""
    )
    return Span(
        _text(raw, "trace_id", "traceId", "traceID"),
        ident,
        _text(raw, "parent_id", "parentId", "parentSpanId", "parent_span_id"),
        names.canonical(entity),
        _text(raw, "name", "operation", "operationName"),
        start.at_s,
        max(0.0, end.at_s - start.at_s) if end else _duration_s(raw),
        _error(raw),
        rows.sheet,
        rows.of(ident),
        reference,
    )


def _error(raw: Json) -> str:
    said = raw.get("error") or _mapping(raw.get("tags")).get("error")
    if said:
        return said if isinstance(said, str) else "error"
    status = raw.get("status", raw.get("status_code", ""))
    status = status.get("code") if isinstance(status, dict) else status
    return str(status) if FAILED.search(str(status)) else ""


def _duration_s(raw: Json) -> float:
    for name, unit_s in _DURATIONS:
        value = raw.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return max(0.0, value * unit_s)
    return 0.0


def _text(raw: Json, *names: str) -> str:
    return next((str(raw[n]) for n in names if raw.get(n) not in (None, "")), "")


def _attributes(value: Any) -> dict[str, str]:
    """OTLP's list of {key, value: {stringValue: …}}."""
    return {
        str(entry.get("key")): str(next(iter(_mapping(entry.get("value")).values()), "")) for entry in _mappings(value)
    }


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> Sequence[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
