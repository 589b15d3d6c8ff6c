"""Tools, `tool_choice` and output formats, in both protocols.

Chat Completions puts a function's fields into an object of their own where Responses writes them flat; `Inside`
is that one difference.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from wafer_backend.engines import Choice, ToolSpec
from wafer_backend.wire import errors
from wafer_backend.wire.fields import Fields
from wafer_backend.wire.schemas import check_schema

Inside = Callable[[Fields, str], Fields]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MODES: Mapping[str, Literal["auto", "none", "required"]] = {"auto": "auto", "none": "none", "required": "required"}
FORMATS = ("text", "json_object", "json_schema")
ANY_OBJECT: Mapping[str, Any] = {"type": "object"}


def nested(fields: Fields, name: str) -> Fields:
    """Chat Completions: `{"type": "function", "function": {…}}`."""
    return fields.need_inner(name)


def flat(fields: Fields, name: str) -> Fields:
    """Responses: `{"type": "function", …}`."""
    return fields


def parse_tools(body: Fields, inside: Inside) -> tuple[ToolSpec, ...]:
    """The functions that the client offers; hosted tools are not emulated."""
    return tuple(_tool(tool, inside) for tool in body.each("tools"))


def _tool(tool: Fields, inside: Inside) -> ToolSpec:
    _only_function(tool)
    function = inside(tool, "function")
    name = function.need_text("name")
    if not NAME.fullmatch(name):
        message = f"Invalid '{function.at('name')}': string does not match pattern '^{NAME.pattern}$'."
        raise errors.invalid(message, function.at("name"), "invalid_value")
    parameters = function.get("parameters", "an object") or ANY_OBJECT
    check_schema(parameters, function.at("parameters"), "invalid_function_parameters")
    description = function.text("description") or ""
    return ToolSpec(name, description, parameters, function.flag("strict", default=False))


def parse_choice(body: Fields, tools: tuple[ToolSpec, ...], inside: Inside) -> Choice:
    """Resolve `tool_choice`: a word, one named function, or a set of allowed ones."""
    value = body.values.get("tool_choice")
    if value is None:
        return Choice()
    if isinstance(value, str):
        choice = Choice(MODES[body.word("tool_choice", MODES) or "auto"])
    else:
        choice = _choice_object(body.need_inner("tool_choice"), inside)
    _check_choice(choice, tools)
    return choice


def _choice_object(choice: Fields, inside: Inside) -> Choice:
    kind = choice.word("type", ("function", "allowed_tools"))
    if kind == "function":
        return Choice("required", (inside(choice, "function").need_text("name"),))
    if kind is None:
        raise errors.missing(choice.at("type"))
    allowed = inside(choice, "allowed_tools")
    mode = allowed.word("mode", ("auto", "required"))
    if mode is None:
        raise errors.missing(allowed.at("mode"))
    return Choice(MODES[mode], tuple(_allowed_name(tool, inside) for tool in allowed.each("tools")))


def _allowed_name(tool: Fields, inside: Inside) -> str:
    _only_function(tool)
    return inside(tool, "function").need_text("name")


def _only_function(tool: Fields) -> None:
    if tool.word("type", ("function",)) is None:
        raise errors.missing(tool.at("type"))


def _check_choice(choice: Choice, tools: tuple[ToolSpec, ...]) -> None:
    names = {tool.name for tool in tools}
    if not tools and choice.mode == "required":
        raise errors.invalid("'tool_choice' is only allowed when 'tools' are specified.", "tool_choice")
    for name in choice.allowed or ():
        if name not in names:
            message = f"Tool choice '{name}' not found in 'tools' parameter."
            raise errors.invalid(message, "tool_choice", "invalid_value")
    if choice.mode == "required" and choice.allowed == ():
        raise errors.invalid("'tool_choice' requires a tool but allows none.", "tool_choice", "invalid_value")


def parse_format(format: Fields | None, inside: Inside) -> Mapping[str, Any] | None:  # noqa: A002  OpenAI's word
    """The JSON Schema that the text must satisfy, from `response_format` or `text.format`; None for plain text."""
    kind = format.word("type", FORMATS) if format else "text"
    if format is None or kind == "text":
        return None
    if kind == "json_object":
        return ANY_OBJECT
    if kind is None:
        raise errors.missing(format.at("type"))
    inner = inside(format, "json_schema")
    inner.need_text("name")
    schema = inner.get("schema", "an object") or ANY_OBJECT
    check_schema(schema, inner.at("schema"), "invalid_json_schema")
    return dict(schema)
