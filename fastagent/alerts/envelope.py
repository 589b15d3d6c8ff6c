"""What payloads come wrapped in: SNS notifications, lists, and objects that hold the payload proper in a field."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import orjson

MAX_DEPTH = 3
MAX_PARTS = 20  # of one object: an envelope has few


def opened(payload: Any, known: Callable[[Any], bool], depth: int = 0) -> Iterator[Any]:
    """The payloads proper: what a format knows, else what is known somewhat deeper, else the payload itself."""
    payload = _out_of_sns(payload)
    if isinstance(payload, list) and depth < MAX_DEPTH and any(isinstance(p, dict) for p in payload):
        for part in payload:
            yield from opened(part, known, depth + 1)
        return
    if known(payload) or not isinstance(payload, dict):
        yield payload
        return
    named = [part.get("payload") for part in payload.values() if isinstance(part, dict)]
    if named and len(named) == len(payload) and all(isinstance(n, dict) for n in named):
        yield from (inner for part in named for inner in opened(part, known, depth + 1))
        return
    yield from list(_inside(payload, known, depth)) or [payload]


def _inside(payload: dict[str, Any], known: Callable[[Any], bool], depth: int) -> Iterator[Any]:
    if depth < MAX_DEPTH:
        for part in islice(payload.values(), MAX_PARTS):
            if isinstance(part, dict):
                yield from (inner for inner in opened(part, known, depth + 1) if known(inner))


def _out_of_sns(payload: Any) -> Any:
    """The message of an SNS notification: JSON as text, an object already, or text."""
    if not isinstance(payload, dict) or "Message" not in payload:
        return payload
    message = payload["Message"]
    if isinstance(message, dict):
        return message
    if not isinstance(message, str) or payload.get("Type", "Notification") != "Notification":
        return payload
    try:
        value = orjson.loads(message)
    except ValueError:
        value = None
    subject = payload.get("Subject")
    plain = f"{subject}\n{message}" if isinstance(subject, str) else message
    return value if isinstance(value, dict | list) else plain
