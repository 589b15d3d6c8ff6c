"""The back ends against a clock. Requests come in, due tokens come out, at the times that the model says.

The clock is the running loop's: a loop in virtual time makes all of it virtual. Deadlines are absolute, so lateness
never adds up; one timer serves all streams; whatever is due when it fires is handed over together. Unpaced, nobody
waits, and each request is told what it would have taken alone. A driver belongs to one thread.
"""

import asyncio
import math
from dataclasses import dataclass
from typing import Literal, Self, get_args

from wafer_backend.kvcache import PrefixCache
from wafer_backend.stream import MILLI, Core, Stream
from wafer_backend.tiers import Tier, Tiers

Pace = Literal["none", "real"]


@dataclass(frozen=True, slots=True)
class Job:
    """What a request costs: its prompt, how much it answers, and where."""

    prompt: tuple[int, ...]  # token ids
    output_tokens: int
    tier: str  # or an alias


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the emulated time went, in emulated seconds, whatever the pace."""

    queue_s: float
    prefill_s: float
    decode_s: float
    cached_tokens: int
    lag_s: float  # largest lateness of a hand-over, seconds of the clock; 0 when unpaced

    @property
    def total_s(self) -> float:
        """From arrival to the last token."""
        return self.queue_s + self.prefill_s + self.decode_s


class Generation:
    """One answer on its way: an async iterator of how many further output tokens are due now.

    The numbers are at least 1 and add up to the job's `output_tokens`.
    """

    def __init__(self, lane: "_Lane", stream: Stream, cached_tokens: int) -> None:
        self.cached_tokens = cached_tokens
        self._lane, self._stream = lane, stream
        self._due_tokens = 0
        self._due_ns = 0  # of the oldest token not yet taken
        self._lag_s = 0.0
        self._waiter: asyncio.Future[None] | None = None

    @property
    def timing(self) -> Timing:
        """Complete once exhausted; before, as far as it has come."""
        stream = self._stream
        started_ns = stream.arrived_ns if stream.started_ns is None else stream.started_ns
        first_ns = started_ns if stream.first_ns is None else stream.first_ns
        last_ns = first_ns if stream.last_ns is None else stream.last_ns
        return Timing(
            queue_s=(started_ns - stream.arrived_ns) / 1e9,
            prefill_s=(first_ns - started_ns) / 1e9,
            decode_s=(last_ns - first_ns) / 1e9,
            cached_tokens=self.cached_tokens,
            lag_s=self._lag_s,
        )

    def cancel(self) -> None:
        """Stop, free the slot at once, and end the iteration. Doing it again, or after the end, changes nothing."""
        self._lane.drop(self._stream)
        self._due_tokens = 0
        self._wake()

    async def aclose(self) -> None:
        """`cancel`, for `contextlib.aclosing`."""
        self.cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> int:
        if not self._due_tokens:
            await self._more()
            self._late()
        if not self._due_tokens:
            raise StopAsyncIteration
        taken, self._due_tokens = self._due_tokens, 0
        return taken

    def hand_over(self, due_ns: int, tokens: int) -> None:
        """Add tokens that were due at a time, and wake whoever waits for them."""
        if not self._due_tokens:
            self._due_ns = due_ns
        self._due_tokens += tokens
        self._late()
        self._wake()

    async def _more(self) -> None:
        while not (self._due_tokens or self._stream.done or self._stream.cancelled):
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None

    def _late(self) -> None:
        if self._due_tokens:
            self._lag_s = max(self._lag_s, self._lane.late_s(self._due_ns))

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Driver:
    """The tiers, paced: "real" hands tokens over when they are due on the running loop's clock, "none" at once.

    `time_scale` stretches the waits (2.0: twice as slow); timings stay emulated seconds. Raises `ValueError` for
    other paces and scales.
    """

    def __init__(self, tiers: Tiers, pace: Pace = "none", time_scale: float = 1.0) -> None:
        if pace not in get_args(Pace):
            raise ValueError(f"pace is {' or '.join(get_args(Pace))}, not {pace!r}")
        if not (math.isfinite(time_scale) and time_scale > 0):
            raise ValueError(f"time_scale must be a positive number, not {time_scale!r}")
        self._tiers, self._pace, self._time_scale = tiers, pace, time_scale
        self._clock: _Clock | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._lanes = {name: _Lane(tiers.resolve(name)) for name in tiers.names}

    @property
    def tier_names(self) -> tuple[str, ...]:
        """The tiers there are, without aliases."""
        return self._tiers.names

    def submit(self, job: Job) -> Generation:
        """Let a job arrive now, on a running loop. Raises `UnknownTier`."""
        lane = self._lanes[self._tiers.resolve(job.tier).name]
        cached_tokens = lane.cache.reuse(job.prompt)
        prompt_tokens = _to_prefill(job, cached_tokens)
        if self._pace == "none":
            return lane.answer_at_once(prompt_tokens, job.output_tokens, cached_tokens)
        clock = self._bound()
        self._hand_over(clock)
        generation = lane.admit(clock.now_ns(), prompt_tokens, job.output_tokens, cached_tokens)
        self._hand_over(clock)
        return generation

    def quote(self, job: Job, cached_tokens: int) -> dict[str, float]:
        """What this job would take on each tier alone, with that many prompt tokens cached. Emulated seconds."""
        prompt_tokens = _to_prefill(job, cached_tokens)
        tiers = (lane.tier for lane in self._lanes.values())
        return {tier.name: tier.unloaded_s(prompt_tokens, job.output_tokens) for tier in tiers}

    def active(self, tier: str) -> int:
        """Requests that a tier is working on now. Raises `UnknownTier`."""
        return self._lanes[self._tiers.resolve(tier).name].core.active

    def _bound(self) -> "_Clock":
        """The clock of the running loop. On another loop all starts afresh, but for what is cached."""
        loop = asyncio.get_running_loop()
        if self._clock is None or self._clock.loop is not loop:
            self._clock, self._timer = _Clock(loop, loop.time(), self._time_scale), None
            for lane in self._lanes.values():
                lane.restart(self._clock)
        return self._clock

    def _hand_over(self, clock: "_Clock") -> None:
        """Hand over what is due by now, and set the one timer to what is due next."""
        now_ns = clock.now_ns()
        for lane in self._lanes.values():
            lane.hand_over(now_ns)
        if self._timer is not None:
            self._timer.cancel()
        upcoming = [ns for lane in self._lanes.values() if (ns := lane.core.next_ns()) is not None]
        self._timer = clock.loop.call_at(clock.at(min(upcoming)), self._hand_over, clock) if upcoming else None


@dataclass(frozen=True, slots=True)
class _Clock:
    """Emulated nanoseconds since `epoch_s` on a loop's clock, and back."""

    loop: asyncio.AbstractEventLoop
    epoch_s: float
    time_scale: float

    def now_ns(self) -> int:
        return round((self.loop.time() - self.epoch_s) / self.time_scale * 1e9)

    def at(self, ns: int) -> float:
        return self.epoch_s + ns * self.time_scale / 1e9


class _Lane:
    """One tier at work: its back end, its prefix cache and the answers on their way."""

    def __init__(self, tier: Tier) -> None:
        self.tier = tier
        self.cache = PrefixCache(tier.kv_tokens)
        self.core: Core = tier.core()
        self._clock: _Clock | None = None
        self._generations: dict[Stream, Generation] = {}

    def restart(self, clock: _Clock) -> None:
        self.core, self._clock, self._generations = self.tier.core(), clock, {}

    def admit(self, now_ns: int, prompt_tokens: int, output_tokens: int, cached_tokens: int) -> Generation:
        stream = self.core.submit(now_ns, prompt_tokens, output_tokens)
        self._generations[stream] = generation = Generation(self, stream, cached_tokens)
        return generation

    def answer_at_once(self, prompt_tokens: int, output_tokens: int, cached_tokens: int) -> Generation:
        prefill_ns, decode_ns = self.core.unloaded_ns(prompt_tokens, output_tokens)
        stream = Stream(prompt_tokens, output_tokens, MILLI, 0, prompt_tokens, output_tokens)
        stream.started_ns, stream.first_ns, stream.last_ns = 0, prefill_ns, prefill_ns + decode_ns
        generation = Generation(self, stream, cached_tokens)
        generation.hand_over(0, output_tokens)
        return generation

    def hand_over(self, now_ns: int) -> None:
        emissions = self.core.run(now_ns)
        for at_ns, stream, tokens in emissions:
            self._generations[stream].hand_over(at_ns, tokens)
        for _, stream, _ in emissions:  # only now: late, a stream's last tokens come in several emissions
            if stream.done:
                self._generations.pop(stream, None)

    def drop(self, stream: Stream) -> None:
        if self._generations.pop(stream, None) is not None:
            self.core.cancel(stream)
        stream.cancelled = True

    def late_s(self, due_ns: int) -> float:
        """How late it is by now for what was due then; never, unpaced."""
        return 0.0 if self._clock is None else (self._clock.now_ns() - due_ns) * self._clock.time_scale / 1e9


def _to_prefill(job: Job, cached_tokens: int) -> int:
    return max(1, len(job.prompt) - cached_tokens)
