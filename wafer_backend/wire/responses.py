"""POST /v1/responses: reading the request. How it is answered stands in `responses_reply`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wafer_backend.engines import Call, Message, Request, Role
from wafer_backend.wire import errors
from wafer_backend.wire.ask import Ask, parse_delivery
from wafer_backend.wire.dialogue import check_calls, parse_text
from wafer_backend.wire.fields import Fields, Surface
from wafer_backend.wire.tools import flat, parse_choice, parse_format, parse_tools

SURFACE = Surface(
    read=frozenset(
        [
            "model",
            "input",
            "instructions",
            "tools",
            "tool_choice",
            "text",
            "max_output_tokens",
            "parallel_tool_calls",
            "service_tier",
            "stream",
            "stream_options",
            "include",
        ]
    ),
    harmless={
        "max_tool_calls": "an integer",  # counts hosted tools only, and there are none
        "metadata": "an object",
        "prompt_cache_key": "a string",
        "prompt_cache_options": "an object",
        "prompt_cache_retention": "a string",
        "reasoning": "an object",
        "safety_identifier": "a string",
        "store": "a boolean",
        "temperature": "a number",
        "top_p": "a number",
        "truncation": "a string",
        "user": "a string",
    },
    neutral={
        "access_programs": (),
        "background": (False,),
        "background_options": (),
        "context_management": ([],),
        "conversation": (),
        "image": (),
        "moderation": (),
        "previous_response_id": (),
        "prompt": (),
        "top_logprobs": (0,),
    },
)
INCLUDES = (  # of what we never produce, except logprobs
    "web_search_call.action.sources",
    "web_search_call.results",
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "reasoning.encrypted_content",
)
TEXT_PARTS = ("input_text", "output_text", "refusal")
ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
ECHOED = [
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "parallel_tool_calls",
    "user",
]


def parse(body: Fields, tokens_per_event: int = 1) -> Ask:
    """Read a request, or raise the error body that answers it."""
    SURFACE.screen(body)
    _check_include(body)
    tools = parse_tools(body, flat)
    text = body.inner("text") or Fields({}, "text")
    request = Request(
        model=body.need_text("model"),
        messages=_conversation(body),
        tools=tools,
        choice=parse_choice(body, tools, flat),
        parallel=body.flag("parallel_tool_calls", default=True),
        schema=parse_format(text.inner("format"), flat),
        max_tokens=body.count("max_output_tokens"),
    )
    echo = {name: body.values[name] for name in ECHOED if body.values.get(name) is not None}
    return Ask(request, parse_delivery(body, tokens_per_event), echo)


def _check_include(body: Fields) -> None:
    for index, value in enumerate(body.get("include", "an array") or ()):
        if value not in INCLUDES:
            raise errors.unsupported(f"include[{index}]")


def _conversation(body: Fields) -> tuple[Message, ...]:
    instructions = body.text("instructions")
    head = (Message("system", instructions),) if instructions else ()
    messages = (*head, *_input(body))
    check_calls(messages, "input")
    return messages


def _input(body: Fields) -> tuple[Message, ...]:
    value = body.values.get("input")
    if value is None:
        raise errors.missing("input")
    if isinstance(value, str):
        return (Message("user", value),)
    if value == []:
        raise errors.invalid("Invalid 'input': empty array.", "input", "empty_array")
    return tuple(_joined(body.each("input")))


def _joined(items: Iterator[Fields]) -> Iterator[Message]:
    """One message a turn: a function call belongs to the assistant message before it."""
    turn: Message | None = None
    for item in items:
        message = _item(item)
        if message is None:
            continue
        if turn and turn.role == "assistant" and message.calls:
            turn = replace(turn, calls=turn.calls + message.calls)
            continue
        if turn:
            yield turn
        turn = message
    if turn:
        yield turn


def _item(item: Fields) -> Message | None:
    kind = item.text("type") or "message"
    reader = READERS.get(kind)
    if reader is None:
        raise errors.unknown_value(item.at("type"), kind, READERS)
    return reader(item)


def _message(item: Fields) -> Message:
    role = item.word("role", ROLES)
    if role is None:
        raise errors.missing(item.at("role"))
    if item.values.get("content") is None:
        raise errors.missing(item.at("content"))
    return Message(ROLES[role], parse_text(item, "content", TEXT_PARTS))


def _function_call(item: Fields) -> Message:
    call = Call(item.need_text("name"), item.need_text("arguments"), item.need_text("call_id"))
    return Message("assistant", "", (call,))


def _function_call_output(item: Fields) -> Message:
    if item.values.get("output") is None:
        raise errors.missing(item.at("output"))
    return Message("tool", parse_text(item, "output", TEXT_PARTS), call_id=item.need_text("call_id"))


def _reasoning(item: Fields) -> None:
    """Reasoning of earlier turns, resent as the API asks for; there is none of ours to recall."""


READERS: Mapping[str, Callable[[Fields], Message | None]] = {
    "message": _message,
    "function_call": _function_call,
    "function_call_output": _function_call_output,
    "reasoning": _reasoning,
}


def echo_defaults() -> dict[str, Any]:
    """What a Responses object says of parameters that were not sent."""
    return {
        "background": False,
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": {"effort": None, "summary": None},
        "safety_identifier": None,
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "user": None,
    }
