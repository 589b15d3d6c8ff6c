"""How a draft becomes bytes: something at once, something with each token, something at the end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Protocol

import orjson

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the answer cost, known when its last token is out. Times in seconds."""

    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    created: float  # Unix time
    queue_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    lag_s: float = 0.0
    tiers: Mapping[str, float] | None = None  # the same answer, unloaded, on each tier

    @property
    def total_s(self) -> float:
        """From arrival to the last token."""
        return self.queue_s + self.prefill_s + self.decode_s

    def time_info(self) -> dict[str, object]:
        """The `time_info` of a body: Cerebras' fields, and two of ours (`lag`, `tiers`)."""
        return {
            "queue_time": self.queue_s,
            "prompt_time": self.prefill_s,
            "completion_time": self.decode_s,
            "total_time": self.total_s,
            "created": self.created,
            "lag": self.lag_s,
            "tiers": dict(self.tiers or {}),
        }


class Script(Protocol):
    """One answer in one protocol. `tokens` yields as often as the draft has tokens, b"" where nothing is sent."""

    @property
    def media_type(self) -> str:
        """The `content-type` of the body."""
        ...

    def opening(self) -> bytes:
        """What is sent as soon as the request is accepted."""
        ...

    def tokens(self) -> Iterator[bytes]:
        """What is sent with each token."""
        ...

    def closing(self, receipt: Receipt) -> bytes:
        """What is sent after the last token."""
        ...


class Whole(Protocol):
    """A writer of complete bodies."""

    def body(self, receipt: Receipt) -> dict[str, object]:
        """The JSON object of the complete answer."""
        ...


@dataclass(frozen=True, slots=True)
class Unstreamed:
    """The script of an answer that is sent in one piece, when it is complete."""

    whole: Whole
    media_type: str = JSON

    def opening(self) -> bytes:
        """Nothing yet."""
        return b""

    def tokens(self) -> Iterator[bytes]:
        """Nothing with any token."""
        return repeat(b"")

    def closing(self, receipt: Receipt) -> bytes:
        """All of it."""
        return orjson.dumps(self.whole.body(receipt))
