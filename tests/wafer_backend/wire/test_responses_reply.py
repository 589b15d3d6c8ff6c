from itertools import pairwise
from typing import Any

import orjson
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from wafer_backend.engines import Answer, Call
from wafer_backend.wire.draft import write_draft
from wafer_backend.wire.fields import Fields
from wafer_backend.wire.responses import parse
from wafer_backend.wire.responses_reply import script
from wafer_backend.wire.script import Receipt

TOOLS = [{"type": "function", "name": "grep", "parameters": {"type": "object"}, "strict": False}]
BOTH = Answer("let me see", (Call("grep", '{"q":"a"}'), Call("grep", '{"q":"b"}')))
RECEIPT = Receipt(100, 64, 12, 1000.0, queue_s=0.25, prefill_s=0.5, decode_s=1.0, tiers={"ultrafast": 1.75})
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


def stream(answer: Answer, per_event: int = 1, **body: Any) -> list[dict[str, Any]]:
    """The events, each checked against the official client's types."""
    ask = parse(Fields({"model": "m", "input": "hi", "tools": TOOLS, "stream": True, **body}), per_event)
    written = script(ask, write_draft(ask, answer), "ultrafast", 1000.0)
    raw = written.opening() + b"".join(written.tokens()) + written.closing(RECEIPT)
    events = [_event(block) for block in raw.split(b"\n\n")[:-1]]
    for event in events:
        EVENT.validate_python(event, strict=False)
    return events


def _event(block: bytes) -> dict[str, Any]:
    name, data = block.split(b"\n", 1)
    event: dict[str, Any] = orjson.loads(data.removeprefix(b"data: "))
    assert name == b"event: " + event["type"].encode()
    return event


def types(events: list[dict[str, Any]]) -> list[str]:
    """The types in order, without repetitions."""
    names = [event["type"].removeprefix("response.") for event in events]
    return names[:1] + [after for before, after in pairwise(names) if after != before]


def test_a_text_is_told_in_the_apis_order() -> None:
    assert types(stream(Answer("one two"))) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]


def test_a_call_is_told_in_the_apis_order() -> None:
    assert types(stream(Answer(calls=(Call("grep", '{"q":"a"}'),)))) == [
        "created",
        "in_progress",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]


def test_events_are_numbered_without_a_gap() -> None:
    events = stream(BOTH)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))


def test_what_is_streamed_is_what_the_completed_response_says() -> None:
    events = stream(BOTH)
    output = events[-1]["response"]["output"]
    assert [item["type"] for item in output] == ["message", "function_call", "function_call"]
    assert [event["item"] for event in events if event["type"] == "response.output_item.done"] == output
    for index, item in enumerate(output):
        deltas = [event["delta"] for event in events if "delta" in event and event["output_index"] == index]
        assert "".join(deltas) == item.get("arguments", "let me see")


def test_a_streamed_and_a_whole_answer_say_the_same() -> None:
    ask = parse(Fields({"model": "m", "input": "hi", "tools": TOOLS}))
    written = script(ask, write_draft(ask, BOTH), "ultrafast", 1000.0)
    assert orjson.loads(written.closing(RECEIPT)) == stream(BOTH)[-1]["response"]


def test_one_event_a_token_unless_the_client_wants_fewer() -> None:
    def deltas(per_event: int) -> list[str]:
        return [event["delta"] for event in stream(Answer("one two three"), per_event) if "delta" in event]

    assert deltas(1) == ["one", " two", " three"]
    assert deltas(2) == ["one two", " three"]


def test_deltas_are_padded_to_even_lengths_unless_the_client_declines() -> None:
    padded = [event for event in stream(Answer("one three")) if "delta" in event]
    assert {len(event["delta"] + event["obfuscation"]) for event in padded} == {16}
    plain = stream(Answer("one"), stream_options={"include_obfuscation": False})
    assert not any("obfuscation" in event for event in plain)


def test_a_cut_text_ends_incomplete() -> None:
    events = stream(Answer("one two three"), max_output_tokens=2)
    final = events[-1]["response"]
    assert events[-1]["type"] == "response.incomplete"
    assert (final["status"], final["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert (final["output"][0]["status"], final["output"][0]["content"][0]["text"]) == ("incomplete", "one two")


def test_arguments_that_were_cut_are_never_done() -> None:
    events = stream(Answer(calls=(Call("grep", '{"q":"a"}'),)), max_output_tokens=3)
    assert "function_call_arguments.done" not in types(events)
    assert events[-1]["response"]["output"][0]["status"] == "incomplete"


def test_the_receipt_is_told_at_the_end() -> None:
    final = stream(Answer("one"))[-1]["response"]
    assert final["usage"]["input_tokens_details"] == {"cached_tokens": 64, "cache_write_tokens": 36}
    assert final["usage"]["total_tokens"] == 112
    assert final["service_tier"] == "ultrafast"
    assert final["time_info"] == {
        "queue_time": 0.25,
        "prompt_time": 0.5,
        "completion_time": 1.0,
        "total_time": 1.75,
        "created": 1000.0,
        "lag": 0.0,
        "tiers": {"ultrafast": 1.75},
    }


@pytest.mark.parametrize("answer", [Answer("text"), BOTH])
def test_a_response_repeats_what_was_asked(answer: Any) -> None:
    final = stream(answer, temperature=0.5, metadata={"a": "b"}, instructions="be brief")[-1]["response"]
    assert (final["temperature"], final["metadata"], final["instructions"]) == (0.5, {"a": "b"}, "be brief")
    assert final["tools"] == TOOLS
    Response.model_validate(final)
