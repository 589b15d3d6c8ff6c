"""Server-sent events as OpenAI frames them, and the padding that hides how long a token is."""

from typing import Any

import orjson

DONE = b"data: [DONE]\n\n"

# The API pads with random characters; a fixed string hides lengths as well and keeps answers identical.
PADDING = "aWkJ8nQvZ2rYtB5xLmC0sHdFgU3pE7oK"


def data(payload: Any) -> bytes:
    """An event without a name, as in Chat Completions."""
    return b"data: " + orjson.dumps(payload) + b"\n\n"


def event(name: str, payload: Any) -> bytes:
    """A named event, as in Responses."""
    return b"event: " + name.encode() + b"\n" + data(payload)


def obfuscation(delta: str) -> str:
    """Characters that bring `delta` to a multiple of 16."""
    return PADDING[: 16 - len(delta) % 16]
