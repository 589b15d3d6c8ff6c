"""Spans from every form that traces come in, and nothing but a gap from what is none."""

import json
from typing import Any

import pytest

from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock
from fastagent_tools.traces.documents import read_document
from fastagent_tools.traces.span import Span
from fastagent_tools.traces.table import NotSpansError, read_table

NAMES, CLOCK = Names(["web", "cart"]), Clock(2026)
NS = 1_767_261_600_000_000_000


def documents(value: Any) -> list[Span]:
    text = json.dumps(value, indent=1)
    return read_document(json.loads(text), Sheet("traces/t.json", text.split("\n")), NAMES, CLOCK, reference=False)


OTLP = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "web"}}]},
            "scopeSpans": [
                {
                    "spans": [
                        {"traceId": "t1", "spanId": "s1", "name": "GET /", "startTimeUnixNano": str(NS), "endTimeUnixNano": str(NS + 2_000_000_000)},
                        {"traceId": "t1", "spanId": "s2", "parentSpanId": "s1", "name": "call", "startTimeUnixNano": str(NS),
                         "endTimeUnixNano": str(NS + 500_000_000), "status": {"code": 2, "message": "boom"}},
                    ]
                }
            ],
        }
    ]
}  # fmt: skip
JAEGER = {
    "data": [
        {
            "processes": {"p1": {"serviceName": "web"}},
            "spans": [
                {"traceID": "t1", "spanID": "s1", "operationName": "GET /", "startTime": NS // 1000, "duration": 2_000_000, "processID": "p1"},
                {"traceID": "t1", "spanID": "s2", "operationName": "call", "startTime": NS // 1000, "duration": 500_000, "processID": "p1",
                 "references": [{"refType": "CHILD_OF", "spanID": "s1"}], "tags": [{"key": "error", "value": True}, {"key": "error.message", "value": "boom"}]},
            ],
        }
    ]
}  # fmt: skip
ZIPKIN = [
    {"traceId": "t1", "id": "s1", "name": "GET /", "timestamp": NS // 1000, "duration": 2_000_000, "localEndpoint": {"serviceName": "web"}},
    {"traceId": "t1", "id": "s2", "parentId": "s1", "name": "call", "timestamp": NS // 1000, "duration": 500_000,
     "localEndpoint": {"serviceName": "web"}, "tags": {"error": "boom"}},
]  # fmt: skip
FLAT = [
    {"trace_id": "t1", "span_id": "s1", "parent_id": None, "service": "web", "name": "GET /", "start": "2026-01-01T10:00:00Z", "duration_ms": 2000, "status": "OK"},
    {"trace_id": "t1", "span_id": "s2", "parent_id": "s1", "service": "web", "name": "call", "start": "2026-01-01T10:00:00Z", "duration_ms": 500, "status": "ERROR", "error": "boom"},
]  # fmt: skip


@pytest.mark.parametrize(
    "value", [OTLP, JAEGER, ZIPKIN, FLAT, {"spans": FLAT}], ids=["otlp", "jaeger", "zipkin", "flat", "wrapped"]
)
def test_every_form_gives_the_same_spans(value: Any) -> None:
    first, second = documents(value)
    assert (first.trace, first.id, first.parent, first.entity, first.name) == ("t1", "s1", "", "web", "GET /")
    assert (first.start_s, round(first.duration_s, 6), first.error) == (NS / 1e9, 2.0, "")
    assert (second.parent, round(second.duration_s, 6), second.error) == ("s1", 0.5, "boom")
    assert second.sheet.lines[second.row].count("s2")


def test_a_table_gives_them_too() -> None:
    lines = ["TraceID,SpanID,ParentID,PodName,OperationName,StartTimeUnixNano,EndTimeUnixNano,Duration",
             f"t1,s1,root,cart-579f59597d-wc2lz,GET /,{NS},{NS + 2_000_000_000},2000000"]  # fmt: skip
    (span,) = read_table(Sheet("traces/t.csv", lines), NAMES, CLOCK, reference=True)
    assert (span.trace, span.id, span.parent, span.entity, span.duration_s, span.reference) == (
        "t1",
        "s1",
        "",
        "cart",
        2.0,
        True,
    )


@pytest.mark.parametrize("value", [{"a": 1}, "text", 7, [1, 2], {"data": 3}, {"resourceSpans": 5}])
def test_what_holds_no_spans_is_told(value: Any) -> None:
    with pytest.raises(NotSpansError):
        documents(value)


def test_a_table_of_something_else_is_told() -> None:
    with pytest.raises(NotSpansError):
        read_table(Sheet("x.csv", ["a,b", "1,2"]), NAMES, CLOCK, reference=False)


@pytest.mark.parametrize(
    "spans", [[{"traceId": 5}], [{"traceId": "t", "start": []}], [{"trace_id": "t", "start": "never"}]]
)
def test_spans_without_a_time_are_passed_over(spans: Any) -> None:
    assert documents(spans) == []
