"""Bytes of an event stream to JSON events. Our own splitter: the client library would build a model object a token."""

from collections.abc import AsyncIterator
from typing import Any

import orjson

from fastagent.errors import ModelUnavailable

MAX_EVENT_BYTES = 16 * 1024 * 1024


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """The JSON object of each server-sent event; ends at `[DONE]` or at the end of the bytes.

    Raises `ModelUnavailable` for what is not JSON and for an `error` event, which clients otherwise swallow.
    """
    pending = b""
    async for chunk in chunks:
        pending = (pending + chunk).replace(b"\r\n", b"\n")
        *blocks, pending = pending.split(b"\n\n")
        for block in blocks:
            data = _data(block)
            if data == b"[DONE]":
                return
            if data:
                yield _parse(data, block)
        if len(pending) > MAX_EVENT_BYTES:
            raise ModelUnavailable("the stream sends an event without end")
    if (data := _data(pending)) and data != b"[DONE]":
        yield _parse(data, pending)


def _data(block: bytes) -> bytes:
    lines = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines).strip()


def _parse(data: bytes, block: bytes) -> dict[str, Any]:
    try:
        event = orjson.loads(data)
    except ValueError:
        raise ModelUnavailable(f"the stream sends what is not JSON: {data[:80]!r}") from None
    if not isinstance(event, dict):
        raise ModelUnavailable(f"the stream sends {type(event).__name__} where an object belongs")
    if event.get("type") == "error" or event.get("error") or b"event: error" in block.split(b"\n"):
        raise ModelUnavailable(f"the model reports an error mid-stream: {_message(event)}")
    return event


def _message(event: dict[str, Any]) -> str:
    error = event.get("error")
    found = error.get("message") if isinstance(error, dict) else event.get("message") or error
    return str(found or event)[:200]
