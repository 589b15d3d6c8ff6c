from typing import Any

import pytest

from wafer_backend.engines import Call, Choice, Message
from wafer_backend.wire import responses
from wafer_backend.wire.ask import Ask
from wafer_backend.wire.chat import parse
from wafer_backend.wire.errors import WireError
from wafer_backend.wire.fields import Fields

FUNCTION = {"name": "grep", "parameters": {"type": "object"}, "strict": True}
TOOL = {"type": "function", "function": FUNCTION}
USER = {"role": "user", "content": "hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "found"}


def read(**body: Any) -> Ask:
    return parse(Fields({"model": "m", "messages": [USER], **body}))


def refusal(**body: Any) -> WireError:
    with pytest.raises(WireError) as caught:
        read(**body)
    return caught.value


def test_a_conversation_with_calls_and_results_is_read() -> None:
    system = {"role": "developer", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    assert read(messages=[system, USER, CALLING, RESULT]).request.messages == (
        Message("system", "a\nb"),
        Message("user", "hi"),
        Message("assistant", "", (Call("grep", "{}", "c1"),)),
        Message("tool", "found", call_id="c1"),
    )


def test_a_refusal_counts_as_what_the_assistant_said() -> None:
    said = {"role": "assistant", "content": None, "refusal": "no"}
    assert read(messages=[USER, said]).request.messages[1].text == "no"


@pytest.mark.parametrize(
    ("tool_choice", "choice"),
    [
        ("required", Choice("required")),
        ({"type": "function", "function": {"name": "grep"}}, Choice("required", ("grep",))),
        (
            {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [TOOL]}},
            Choice("required", ("grep",)),
        ),
    ],
)
def test_tool_choice_is_resolved(tool_choice: Any, choice: Any) -> None:
    assert read(tools=[TOOL], tool_choice=tool_choice).request.choice == choice


def test_either_limit_counts() -> None:
    assert read(max_tokens=5).request.max_tokens == read(max_completion_tokens=5).request.max_tokens == 5


def test_a_schema_is_read_from_response_format() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array"}}}
    assert read(response_format=form).request.schema == {"type": "array"}


def test_stream_options_are_read() -> None:
    delivery = read(stream=True, stream_options={"include_usage": True, "include_obfuscation": False}).delivery
    assert (delivery.stream, delivery.usage, delivery.obfuscation) == (True, True, False)


def test_both_protocols_put_the_same_question() -> None:
    flat = {"type": "function", **FUNCTION}
    other = responses.parse(Fields({"model": "m", "input": "hi", "tools": [flat], "max_output_tokens": 9}))
    assert read(tools=[TOOL], max_tokens=9).request == other.request


@pytest.mark.parametrize(
    "harmless",
    [
        {"n": 1, "stop": None, "logprobs": False, "logit_bias": {}, "modalities": ["text"]},
        {"seed": 1, "temperature": 0, "user": "u", "verbosity": "low", "reasoning_effort": "none"},
        {"store": False, "metadata": {}, "prompt_cache_key": "k", "presence_penalty": 0.5},
    ],
)
def test_what_cannot_change_the_answer_is_accepted(harmless: Any) -> None:
    assert read(**harmless).seed() == read().seed()


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ({"n": 2}, "n", "unsupported_parameter"),
        ({"stop": "\n"}, "stop", "unsupported_parameter"),
        ({"logprobs": True}, "logprobs", "unsupported_parameter"),
        ({"functions": [FUNCTION]}, "functions", "unsupported_parameter"),
        ({"modalities": ["text", "audio"]}, "modalities", "unsupported_parameter"),
        ({"colour": "blue"}, "colour", "unknown_parameter"),
        ({"seed": "x"}, "seed", "invalid_type"),
        ({"messages": None}, "messages", "missing_required_parameter"),
        ({"messages": []}, "messages", "empty_array"),
        ({"messages": "hi"}, "messages", "invalid_type"),
        ({"messages": [{"content": "a"}]}, "messages[0].role", "missing_required_parameter"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "missing_required_parameter"),
        ({"messages": [{"role": "assistant"}]}, "messages[0].content", "missing_required_parameter"),
        ({"messages": [{"role": "function", "name": "f", "content": "a"}]}, "messages[0].role", "invalid_value"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content[0].type",
            "invalid_value",
        ),
        ({"messages": [USER, RESULT]}, "messages", None),
        ({"messages": [USER, CALLING]}, "messages", None),
        ({"max_tokens": 1, "max_completion_tokens": 1}, "max_tokens", None),
        ({"tools": [{"type": "function"}]}, "tools[0].function", "missing_required_parameter"),
        ({"tools": [{"function": FUNCTION}]}, "tools[0].type", "missing_required_parameter"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema", "missing_required_parameter"),
        (
            {"tools": [TOOL], "tool_choice": {"type": "allowed_tools"}},
            "tool_choice.allowed_tools",
            "missing_required_parameter",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_honoured_is_refused_by_name(body: Any, param: Any, code: Any) -> None:
    error = refusal(**body)
    assert (error.status, error.param, error.code) == (400, param, code)
