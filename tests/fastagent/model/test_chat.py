from typing import Any

from fastagent.model.chat import Reader, body, messages
from fastagent.model.exchange import Ask, ToolCall

ITEMS = [
    {"type": "message", "role": "user", "content": "go"},
    {"type": "function_call", "call_id": "a", "name": "x", "arguments": "{}"},
    {"type": "function_call", "call_id": "b", "name": "y", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "1"},
    {"type": "function_call_output", "call_id": "b", "output": "2"},
]


def chunk(**delta: Any) -> dict[str, Any]:
    reason = delta.pop("reason", None)
    return {"choices": [{"delta": delta, "finish_reason": reason}]}


def fragment(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    return chunk(
        tool_calls=[
            {"index": index, "function": {"arguments": arguments, **more}, **({"id": f"c{index}"} if more else {})}
        ]
    )


def test_neighbouring_calls_share_one_assistant_message() -> None:
    found = messages(ITEMS)
    assert [m["role"] for m in found] == ["user", "assistant", "tool", "tool"]
    assert [c["id"] for c in found[1]["tool_calls"]] == ["a", "b"]


def test_the_body_offers_all_tools_and_allows_some() -> None:
    ask = Ask(ITEMS, [{"type": "function", "name": "x", "parameters": {}}], ["x"], "default", 9)
    sent = body(ask, "m")
    assert sent["tools"] == [{"type": "function", "function": {"name": "x", "parameters": {}}}]
    assert sent["tool_choice"]["allowed_tools"] == {
        "mode": "required",
        "tools": [{"type": "function", "function": {"name": "x"}}],
    }


def test_a_call_is_closed_by_the_next_one_and_the_last_by_the_end() -> None:
    reader = Reader()
    closed = [
        list(reader.feed(c))
        for c in (
            fragment(0, '{"a"', name="x"),
            fragment(0, ":1}"),
            fragment(1, "{}", name="y"),
            chunk(reason="tool_calls"),
        )
    ]
    assert closed == [[], [], [ToolCall("c0", "x", '{"a":1}')], [ToolCall("c1", "y", "{}")]]
    assert reader.reply.complete


def test_a_call_that_was_cut_by_the_token_limit_is_never_closed() -> None:
    reader = Reader()
    assert list(reader.feed(fragment(0, '{"half', name="x"))) == []
    assert list(reader.feed(chunk(reason="length"))) == []
    assert (reader.reply.calls, reader.reply.truncated) == ([], True)


def test_usage_and_tier_are_taken_from_wherever_they_stand() -> None:
    reader = Reader()
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}
    list(reader.feed({"choices": [], "usage": usage, "service_tier": "default"}))
    assert (reader.reply.input_tokens, reader.reply.cached_tokens, reader.reply.output_tokens) == (7, 2, 3)
    assert reader.reply.tier == "default"
