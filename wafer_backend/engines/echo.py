"""The engine for load tests: exactly as many tokens as asked for, and schema-valid JSON where JSON is asked for."""

import re
from itertools import cycle, islice

import orjson

from wafer_backend.engines import Answer, Call, Request
from wafer_backend.engines.schema_fill import fill

DEFAULT = 64  # tokens
MOST = 100_000  # tokens
NUMBER = re.compile(r"\b\d{1,6}\b")

# Each word is one token of o200k, with and without the space before it.
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Echo:
    """Answers with N tokens: the first number in the last user message, or else the client's limit, or else 64."""

    name = "echo"

    def answer(self, request: Request) -> Answer:
        """Text, unless a tool must be called or a schema must be met; the first callable tool is the one."""
        if request.choice.mode == "required":
            tool = request.callable_tools()[0]
            return Answer(calls=(Call(tool.name, _json(fill(tool.parameters))),))
        if request.schema is not None:
            return Answer(_json(fill(request.schema)))
        return Answer(" ".join(islice(cycle(WORDS), _length(request))))


def _length(request: Request) -> int:
    users = [message.text for message in request.messages if message.role == "user"]
    number = NUMBER.search(users[-1]) if users else None
    return min(int(number[0]) if number else request.max_tokens or DEFAULT, MOST)


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
