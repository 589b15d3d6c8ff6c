"""POST /v1/chat/completions: reading the request. How it is answered stands in `chat_reply`."""

from collections.abc import Callable, Mapping

from wafer_backend.engines import Call, Message, Request
from wafer_backend.wire import errors
from wafer_backend.wire.ask import Ask, parse_delivery
from wafer_backend.wire.dialogue import check_calls, parse_text
from wafer_backend.wire.fields import Fields, Surface
from wafer_backend.wire.tools import nested, parse_choice, parse_format, parse_tools

SURFACE = Surface(
    read=frozenset(
        [
            "model",
            "messages",
            "tools",
            "tool_choice",
            "response_format",
            "max_tokens",
            "max_completion_tokens",
            "parallel_tool_calls",
            "service_tier",
            "stream",
            "stream_options",
        ]
    ),
    harmless={
        "frequency_penalty": "a number",
        "metadata": "an object",
        "presence_penalty": "a number",
        "prompt_cache_key": "a string",
        "prompt_cache_options": "an object",
        "prompt_cache_retention": "a string",
        "reasoning_effort": "a string",
        "safety_identifier": "a string",
        "seed": "an integer",
        "store": "a boolean",
        "temperature": "a number",
        "top_p": "a number",
        "user": "a string",
        "verbosity": "a string",
    },
    neutral={
        "audio": (),
        "function_call": (),
        "functions": (),
        "logit_bias": ({},),
        "logprobs": (False,),
        "modalities": (["text"],),
        "moderation": (),
        "n": (1,),
        "prediction": (),
        "stop": ([],),
        "top_logprobs": (0,),
        "web_search_options": (),
    },
)
TEXT_PARTS = ("text",)
ASSISTANT_PARTS = ("text", "refusal")


def parse(body: Fields, tokens_per_event: int = 1) -> Ask:
    """Read a request, or raise the error body that answers it."""
    SURFACE.screen(body)
    tools = parse_tools(body, nested)
    request = Request(
        model=body.need_text("model"),
        messages=_conversation(body),
        tools=tools,
        choice=parse_choice(body, tools, nested),
        parallel=body.flag("parallel_tool_calls", default=True),
        schema=parse_format(body.inner("response_format"), nested),
        max_tokens=_limit(body),
    )
    return Ask(request, parse_delivery(body, tokens_per_event), {})


def _limit(body: Fields) -> int | None:
    limits = [limit for name in ("max_tokens", "max_completion_tokens") if (limit := body.count(name))]
    if len(limits) > 1:
        message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        raise errors.invalid(message, "max_tokens")
    return limits[0] if limits else None


def _conversation(body: Fields) -> tuple[Message, ...]:
    if body.values.get("messages") is None:
        raise errors.missing("messages")
    messages = tuple(map(_message, body.each("messages")))
    if not messages:
        raise errors.invalid("Invalid 'messages': empty array.", "messages", "empty_array")
    check_calls(messages, "messages")
    return messages


def _message(item: Fields) -> Message:
    role = item.word("role", READERS)
    if role is None:
        raise errors.missing(item.at("role"))
    return READERS[role](item)


def _content(item: Fields) -> str:
    if item.values.get("content") is None:
        raise errors.missing(item.at("content"))
    return parse_text(item, "content", TEXT_PARTS)


def _system(item: Fields) -> Message:
    return Message("system", _content(item))


def _user(item: Fields) -> Message:
    return Message("user", _content(item))


def _assistant(item: Fields) -> Message:
    calls = tuple(map(_call, item.each("tool_calls")))
    if not calls and item.values.get("content") is None and item.text("refusal") is None:
        raise errors.missing(item.at("content"))
    text = parse_text(item, "content", ASSISTANT_PARTS) or item.text("refusal") or ""
    return Message("assistant", text, calls)


def _call(call: Fields) -> Call:
    if call.word("type", ("function",)) is None:
        raise errors.missing(call.at("type"))
    function = call.need_inner("function")
    return Call(function.need_text("name"), function.need_text("arguments"), call.need_text("id"))


def _tool(item: Fields) -> Message:
    return Message("tool", _content(item), call_id=item.need_text("tool_call_id"))


READERS: Mapping[str, Callable[[Fields], Message]] = {
    "system": _system,
    "developer": _system,
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
}
