from typing import Any

import pytest

from wafer_backend.engines import Call, Choice, Message
from wafer_backend.wire.ask import Ask
from wafer_backend.wire.errors import WireError
from wafer_backend.wire.fields import Fields
from wafer_backend.wire.responses import parse

TOOL = {"type": "function", "name": "grep", "description": "Search.", "parameters": {"type": "object"}, "strict": True}
CALL = {"type": "function_call", "call_id": "c1", "name": "grep", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "found"}


def read(**body: Any) -> Ask:
    return parse(Fields({"model": "m", "input": "hi", **body}))


def refusal(**body: Any) -> WireError:
    with pytest.raises(WireError) as caught:
        read(**body)
    return caught.value


def test_a_string_is_one_user_message() -> None:
    assert read().request.messages == (Message("user", "hi"),)


def test_instructions_come_first_and_developers_are_the_system() -> None:
    messages = read(instructions="be brief", input=[{"role": "developer", "content": "d"}]).request.messages
    assert messages == (Message("system", "be brief"), Message("system", "d"))


def test_text_parts_are_joined_by_line_breaks() -> None:
    content = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    assert read(input=[{"role": "user", "content": content}]).request.messages[0].text == "a\nb"


def test_calls_belong_to_the_assistant_message_before_them_and_results_answer_them() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "let me see"}]}
    second, seen = CALL | {"call_id": "c2"}, OUTPUT | {"call_id": "c2", "output": "nothing"}
    messages = read(input=[said, CALL, second, OUTPUT, seen]).request.messages
    calls = (Call("grep", "{}", "c1"), Call("grep", "{}", "c2"))
    assert messages == (
        Message("assistant", "let me see", calls),
        Message("tool", "found", call_id="c1"),
        Message("tool", "nothing", call_id="c2"),
    )


def test_a_turn_of_calls_alone_is_one_message() -> None:
    messages = read(input=[CALL, CALL | {"call_id": "c2"}, OUTPUT, OUTPUT | {"call_id": "c2"}]).request.messages
    assert [len(message.calls) for message in messages] == [2, 0, 0]


def test_resent_reasoning_is_passed_over() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert len(read(input=[reasoning, CALL, OUTPUT]).request.messages) == 2


def test_tools_and_limits_are_read() -> None:
    request = read(tools=[TOOL], max_output_tokens=20, parallel_tool_calls=False).request
    assert (request.tools[0].name, request.tools[0].strict) == ("grep", True)
    assert (request.max_tokens, request.parallel) == (20, False)


@pytest.mark.parametrize(
    ("tool_choice", "choice"),
    [
        ("auto", Choice("auto")),
        ("none", Choice("none")),
        ("required", Choice("required")),
        ({"type": "function", "name": "grep"}, Choice("required", ("grep",))),
        (
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "grep"}]},
            Choice("auto", ("grep",)),
        ),
    ],
)
def test_tool_choice_is_resolved(tool_choice: Any, choice: Any) -> None:
    assert read(tools=[TOOL], tool_choice=tool_choice).request.choice == choice


def test_a_schema_is_read_from_text_format() -> None:
    form = {"type": "json_schema", "name": "n", "schema": {"type": "array"}, "strict": True}
    assert read(text={"format": form}).request.schema == {"type": "array"}
    assert read(text={"format": {"type": "json_object"}}).request.schema == {"type": "object"}
    assert read(text={"format": {"type": "text"}}).request.schema is None


def test_ids_depend_on_what_is_asked_and_not_on_how_it_is_delivered() -> None:
    seed = read().seed()
    assert read(stream=True, service_tier="ultrafast", stream_options={"include_obfuscation": False}).seed() == seed
    assert read(input="other").seed() != seed


@pytest.mark.parametrize(
    "harmless",
    [
        {"metadata": {"a": "b"}},
        {"temperature": 0.2, "top_p": 1},
        {"reasoning": {"effort": "high"}, "store": True, "user": "u", "truncation": "auto"},
        {"include": ["reasoning.encrypted_content"], "safety_identifier": "s", "prompt_cache_key": "k"},
        {"background": False, "previous_response_id": None, "top_logprobs": 0},
        {"text": {"verbosity": "low"}},
    ],
)
def test_what_cannot_change_the_answer_is_accepted(harmless: Any) -> None:
    assert read(**harmless).seed() == read().seed()


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id", "unsupported_parameter"),
        ({"background": True}, "background", "unsupported_parameter"),
        ({"conversation": "conv_1"}, "conversation", "unsupported_parameter"),
        ({"prompt": {"id": "p"}}, "prompt", "unsupported_parameter"),
        ({"top_logprobs": 3}, "top_logprobs", "unsupported_parameter"),
        ({"include": ["message.output_text.logprobs"]}, "include[0]", "unsupported_parameter"),
        ({"colour": "blue"}, "colour", "unknown_parameter"),
        ({"temperature": "hot"}, "temperature", "invalid_type"),
        ({"stream": 1}, "stream", "invalid_type"),
        ({"model": 7}, "model", "invalid_type"),
        ({"model": None}, "model", "missing_required_parameter"),
        ({"input": None}, "input", "missing_required_parameter"),
        ({"input": []}, "input", "empty_array"),
        ({"input": 3}, "input", "invalid_type"),
        ({"input": ["a"]}, "input[0]", "invalid_type"),
        ({"input": [{"content": "a"}]}, "input[0].role", "missing_required_parameter"),
        ({"input": [{"role": "user"}]}, "input[0].content", "missing_required_parameter"),
        ({"input": [{"role": "wizard", "content": "a"}]}, "input[0].role", "invalid_value"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input[0].type", "invalid_value"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
            "input[0].content[0].type",
            "invalid_value",
        ),
        ({"input": [OUTPUT]}, "input", None),
        ({"input": [CALL]}, "input", None),
        ({"max_output_tokens": 0}, "max_output_tokens", "integer_below_min_value"),
        ({"max_output_tokens": True}, "max_output_tokens", "invalid_type"),
        ({"tools": [{"type": "web_search"}]}, "tools[0].type", "invalid_value"),
        ({"tools": [TOOL | {"name": "no spaces"}]}, "tools[0].name", "invalid_value"),
        ({"tools": [TOOL | {"parameters": {"type": 3}}]}, "tools[0].parameters", "invalid_function_parameters"),
        ({"tool_choice": "required"}, "tool_choice", None),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "name": "x"}}, "tool_choice", "invalid_value"),
        ({"tools": [TOOL], "tool_choice": "perhaps"}, "tool_choice", "invalid_value"),
        ({"text": {"format": {"type": "yaml"}}}, "text.format.type", "invalid_value"),
        (
            {"text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": 3}}}},
            "text.format.schema",
            "invalid_json_schema",
        ),
        (
            {"text": {"format": {"type": "json_schema", "name": "n", "schema": {"$ref": "http://example.org"}}}},
            "text.format.schema",
            "invalid_json_schema",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_honoured_is_refused_by_name(body: Any, param: Any, code: Any) -> None:
    error = refusal(**body)
    assert (error.status, error.param, error.code) == (400, param, code)
