"""One request on its way through a back end, and what every back end offers. Times are integer nanoseconds.

The first output token comes with the end of prefill; each decode pass then yields `accept_len` more on average.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

MILLI = 1000


def milli(accept_len: float) -> int:
    """Tokens a pass as an integer of thousandths, so that what a pass yields is exact."""
    if not accept_len >= 1:
        raise ValueError(f"a decode pass yields at least one token, not {accept_len}")
    return round(accept_len * MILLI)


def passes(output_tokens: int, accept_milli: int) -> int:
    """Decode passes until `output_tokens` are out; prefill has brought the first."""
    return max(0, -(-(output_tokens - 1) * MILLI // accept_milli))


@dataclass(slots=True, eq=False)
class Stream:
    """Where one request stands. A back end writes it, everybody else reads."""

    prompt_tokens: int  # to prefill, at least 1: what a prefix cache spared is not among them
    output_tokens: int
    accept_milli: int
    arrived_ns: int
    prefilled_tokens: int = 0
    emitted_tokens: int = 0
    decode_passes: int = 0
    started_ns: int | None = None  # its prefill began
    first_ns: int | None = None  # prefill ended, the first token was out
    last_ns: int | None = None  # the latest emission
    cancelled: bool = False

    def __post_init__(self) -> None:
        if self.prompt_tokens < 1 or self.output_tokens < 0:
            raise ValueError("a request has at least one prompt token and no negative output")

    @property
    def done(self) -> bool:
        """Nothing more will come by itself."""
        return self.first_ns is not None and self.emitted_tokens == self.output_tokens

    def emit(self, at_ns: int) -> int:
        """The end of prefill or of a decode pass at `at_ns`; returns how many tokens it brought."""
        if self.first_ns is None:
            self.first_ns = at_ns
        else:
            self.decode_passes += 1
        reached = min(self.output_tokens, 1 + self.decode_passes * self.accept_milli // MILLI)
        brought, self.emitted_tokens, self.last_ns = reached - self.emitted_tokens, reached, at_ns
        return brought


class Emission(NamedTuple):
    """Output tokens that are due at a time; none for a request that asked for none, when its prefill ends."""

    at_ns: int
    stream: Stream
    tokens: int


class Core(Protocol):
    """A back end in virtual time. It moves only when run, and only forward."""

    @property
    def active(self) -> int:
        """Requests that are neither done nor cancelled."""
        ...

    def submit(self, at_ns: int, prompt_tokens: int, output_tokens: int) -> Stream:
        """Let a request arrive. Raises `ValueError` for a time that has been run past."""
        ...

    def next_ns(self) -> int | None:
        """When the next event is due; None when all is quiet."""
        ...

    def run(self, until_ns: int) -> list[Emission]:
        """Handle all events up to and including `until_ns`, in order of time."""
        ...

    def cancel(self, stream: Stream) -> None:
        """Drop a request at once; what others get from now on no longer reckons with it."""
        ...

    def unloaded_ns(self, prompt_tokens: int, output_tokens: int) -> tuple[int, int]:
        """Prefill and decode of a request that is alone."""
        ...
