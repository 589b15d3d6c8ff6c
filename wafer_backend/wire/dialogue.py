"""What both protocols ask of a conversation: text in parts, and every tool call answered exactly where it may be."""

from collections.abc import Collection

from wafer_backend.engines import Message
from wafer_backend.wire import errors
from wafer_backend.wire.fields import Fields


def parse_text(item: Fields, name: str, kinds: Collection[str]) -> str:
    """A string, or an array of text parts of the given `kinds`, joined by line breaks. Images are refused."""
    value = item.values.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    if not isinstance(value, list):
        raise errors.wrong_type(item.at(name), "a string or an array", value)
    return "\n".join(_part(part, kinds) for part in item.each(name))


def _part(part: Fields, kinds: Collection[str]) -> str:
    kind = part.word("type", kinds)
    if kind is None:
        raise errors.missing(part.at("type"))
    return part.need_text("refusal" if kind == "refusal" else "text")


def check_calls(messages: tuple[Message, ...], param: str) -> None:
    """Refuse results of calls that were never made, and calls that never got a result."""
    open_calls: set[str] = set()
    for message in messages:
        if message.role == "tool":
            if message.call_id not in open_calls:
                raise errors.invalid(f"No tool call found for the output with call_id {message.call_id}.", param)
            open_calls.remove(message.call_id)
        open_calls.update(call.id for call in message.calls)
    if open_calls:
        raise errors.invalid(f"No tool output found for function call {min(open_calls)}.", param)
