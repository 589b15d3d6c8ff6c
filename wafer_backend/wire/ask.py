"""A parsed request, the same for both protocols: what the engine sees, and how the answer is to be sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from wafer_backend.engines import Request
from wafer_backend.wire.fields import Fields


@dataclass(frozen=True, slots=True)
class Delivery:
    """How the answer is sent. Nothing here may change what it says."""

    tier: str | None  # `service_tier` as asked; None and "auto" leave it to us
    stream: bool = False
    usage: bool = False  # chat: a last chunk with the usage
    obfuscation: bool = True  # pad stream events to even lengths
    tokens_per_event: int = 1


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. `echo` is what a Responses object repeats of it."""

    request: Request
    delivery: Delivery
    echo: Mapping[str, Any]

    def seed(self) -> str:
        """Hex digits that every id is made of: the same request has the same ids on every tier and in every run."""
        content = orjson.dumps(self.request, option=orjson.OPT_SORT_KEYS)
        return blake2b(content, digest_size=20).hexdigest()


def parse_delivery(body: Fields, tokens_per_event: int) -> Delivery:
    """Read `service_tier`, `stream` and `stream_options`."""
    options = body.inner("stream_options") or Fields({}, "stream_options")
    return Delivery(
        tier=body.text("service_tier"),
        stream=body.flag("stream", default=False),
        usage=options.flag("include_usage", default=False),
        obfuscation=options.flag("include_obfuscation", default=True),
        tokens_per_event=tokens_per_event,
    )
