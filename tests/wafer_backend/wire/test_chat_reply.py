from typing import Any

import orjson
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from wafer_backend.engines import Answer, Call
from wafer_backend.wire.chat import parse
from wafer_backend.wire.chat_reply import script
from wafer_backend.wire.draft import write_draft
from wafer_backend.wire.fields import Fields
from wafer_backend.wire.script import Receipt, Script

TOOLS = [{"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}]
BOTH = Answer("let me see", (Call("grep", '{"q":"a"}'), Call("grep", '{"q":"b"}')))
RECEIPT = Receipt(100, 64, 12, 1000.0, decode_s=1.0, tiers={"ultrafast": 1.0})


def written(answer: Answer, **body: Any) -> Script:
    messages = [{"role": "user", "content": "hi"}]
    ask = parse(Fields({"model": "m", "messages": messages, "tools": TOOLS, **body}))
    return script(ask, write_draft(ask, answer), "default", 1000.0)


def stream(answer: Answer, **body: Any) -> list[dict[str, Any]]:
    """The chunks, each checked against the official client's type, of a stream that ends with [DONE]."""
    told = written(answer, stream=True, **body)
    blocks = (told.opening() + b"".join(told.tokens()) + told.closing(RECEIPT)).split(b"\n\n")
    assert blocks[-2:] == [b"data: [DONE]", b""]
    chunks = [orjson.loads(block.removeprefix(b"data: ")) for block in blocks[:-2]]
    for chunk in chunks:
        ChatCompletionChunk.model_validate(chunk)
    return chunks


def whole(answer: Answer, **body: Any) -> dict[str, Any]:
    body = orjson.loads(written(answer, **body).closing(RECEIPT))
    ChatCompletion.model_validate(body)
    return body


def joined(chunks: list[dict[str, Any]]) -> tuple[str, dict[int, dict[str, Any]]]:
    """The text and the calls that the deltas add up to."""
    text, calls = "", dict[int, dict[str, Any]]()
    for delta in (choice["delta"] for chunk in chunks for choice in chunk["choices"]):
        text += delta.get("content") or ""
        for call in delta.get("tool_calls", ()):
            known = calls.setdefault(call["index"], {"id": call.get("id"), "name": "", "arguments": ""})
            for field, value in call["function"].items():
                known[field] += value
    return text, calls


def test_the_role_comes_first_then_a_chunk_a_token_then_the_reason() -> None:
    deltas = [chunk["choices"][0]["delta"] for chunk in stream(Answer("one two"))]
    assert deltas == [
        {"role": "assistant", "content": "", "refusal": None},
        {"content": "one"},
        {"content": " two"},
        {},
    ]


def test_a_streamed_and_a_whole_answer_say_the_same() -> None:
    text, calls = joined(stream(BOTH))
    message = whole(BOTH)["choices"][0]["message"]
    assert text == message["content"] == "let me see"
    assert list(calls.values()) == [{"id": call["id"], **call["function"]} for call in message["tool_calls"]]


def test_the_reason_says_how_it_ended() -> None:
    def reason(answer: Answer, **body: Any) -> str:
        chunks = stream(answer, **body)
        told = whole(answer, **body)["choices"][0]["finish_reason"]
        assert chunks[-1]["choices"][0]["finish_reason"] == told
        return str(told)

    assert reason(Answer("one two")) == "stop"
    assert reason(BOTH) == "tool_calls"
    assert reason(Answer("one two"), max_tokens=1) == "length"


def test_usage_is_streamed_where_it_is_asked_for() -> None:
    *others, last = stream(Answer("one"), stream_options={"include_usage": True})
    assert all(chunk["usage"] is None for chunk in others)
    assert (last["choices"], last["usage"]["total_tokens"]) == ([], 112)
    assert last["usage"]["prompt_tokens_details"]["cached_tokens"] == 64


def test_the_last_chunk_tells_the_times_with_or_without_usage() -> None:
    for options in ({}, {"include_usage": True}):
        *others, last = stream(Answer("one"), stream_options=options)
        assert last["time_info"]["tiers"] == {"ultrafast": 1.0}
        assert not any("time_info" in chunk for chunk in others)


def test_a_message_of_calls_alone_has_no_content() -> None:
    message = whole(Answer(calls=(Call("grep", "{}"),)))["choices"][0]["message"]
    assert message["content"] is None


def test_the_tier_that_served_is_named() -> None:
    assert whole(Answer("one"))["service_tier"] == "default"
