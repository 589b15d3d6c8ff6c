"""The request as the token ids that a model would read: the tools first, then the conversation, append-only.

Head and history come first and what changes with every turn last, so that a prompt cache finds the longest
prefix. `tool_choice` is no part of it: it constrains decoding, not what is read.
"""

from collections.abc import Iterator
from itertools import chain

import orjson

from wafer_backend.engines import Message, Request
from wafer_backend.tokens import encode

# Framing uses ids of o200k's reserved range, which no text encodes to.
START, END, CONTENT = 200006, 200007, 200008

Runs = Iterator[tuple[int, ...]]


def prompt_ids(request: Request) -> tuple[int, ...]:
    """The prompt, ending where the assistant's next turn begins."""
    ids: list[int] = []  # extended run by run: histories are long, and this is done on every turn
    for run in chain(_head(request), *map(_message, request.messages), _open("assistant")):
        ids += run
    return tuple(ids)


def _head(request: Request) -> Runs:
    for part in (request.tools, request.schema):
        if part:
            text = orjson.dumps(part, option=orjson.OPT_SORT_KEYS).decode()
            yield from (*_open("tools"), encode(text), (END,))


def _message(message: Message) -> Runs:
    yield from (*_open(message.role), encode(message.call_id), encode(message.text))
    for call in message.calls:
        yield from ((START,), encode(call.id), encode(call.name), (CONTENT,), encode(call.arguments))
    yield (END,)


def _open(role: str) -> tuple[tuple[int, ...], ...]:
    return ((START,), encode(role), (CONTENT,))
