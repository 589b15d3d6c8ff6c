"""A pipeline of alike stages, as discrete events in virtual time. Tokens flow from wafer to wafer, then round again.

Everything that passes (a chunk of prompt, a decode step) keeps each stage busy for its own constant time, first come
first served, so departures have a closed form (`Line`): one event a token, however many stages there are. A decoding
stream has one token in flight, which gives the interval max(S, n) * tau for n streams on S stages. Chunks of one
prompt enter one by one, so that waiting tokens slip in between. Events at the same time are handled in the order in
which they were foreseen: the same submissions give the same run.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from wafer_backend.stream import Emission, Stream, milli, passes


class Line:
    """When jobs enter and leave a row of `stages` first-come-first-served stages, without stepping through them.

    Job j arrives at A_j and takes c_j at every stage. It leaves at max over i <= j of A_i + c_i + ... + c_j +
    (S - 1) * max(c_i, ..., c_j): the slowest job since some job i holds up all behind it. Only a few i can ever
    attain the maximum; they are kept, slowest first, which makes a job O(1) amortised.
    """

    __slots__ = ("_further", "_holders", "_work")

    def __init__(self, stages: int) -> None:
        self._further = stages - 1
        self._work = 0  # sum of all service so far, ns
        self._holders: list[tuple[int, int]] = []  # (slowest service since i, A_i less the work before i)

    def enter(self, at_ns: int, service_ns: int) -> tuple[int, int]:
        """Let a job arrive, not before the previous one; returns when it enters the first and leaves the last stage."""
        holders, lead = self._holders, at_ns - self._work
        while holders and holders[-1][0] <= service_ns:
            lead = max(lead, holders.pop()[1])
        reach = lead + self._further * service_ns
        while holders and lead > holders[-1][1] and reach >= holders[-1][1] + self._further * holders[-1][0]:
            holders.pop()
        if not holders or lead > holders[-1][1]:
            holders.append((service_ns, lead))
        entered_ns = self._work + holders[-1][1]
        self._work += service_ns
        slowest_ns, first_lead = holders[0]
        return entered_ns, self._work + first_lead + self._further * slowest_ns


class Pipeline:
    """A `Core` (see `stream`) of `stages` stages; `stage_ns(tokens)` is how long that many tokens take at each."""

    def __init__(
        self, stages: int, stage_ns: Callable[[int], int], *, chunk_tokens: int, accept_len: float = 1.0
    ) -> None:
        self._stages, self._stage_ns, self._chunk_tokens = stages, stage_ns, chunk_tokens
        self._accept_milli = milli(accept_len)
        self._token_ns = stage_ns(1)
        self._line = Line(stages)
        self._events: list[tuple[int, int, Stream]] = []
        self._order = count()
        self._now_ns = 0
        self._active = 0

    @property
    def active(self) -> int:
        """Requests that are neither done nor cancelled."""
        return self._active

    def submit(self, at_ns: int, prompt_tokens: int, output_tokens: int) -> Stream:
        """Let a request arrive. Raises `ValueError` for a time that has been run past."""
        if at_ns < self._now_ns:
            raise ValueError(f"arrival at {at_ns} ns, but it is {self._now_ns} ns already")
        stream = Stream(prompt_tokens, output_tokens, self._accept_milli, at_ns)
        self._active += 1
        self._foresee(at_ns, stream)
        return stream

    def next_ns(self) -> int | None:
        """When the next event is due; None when all is quiet."""
        while self._events and self._events[0][2].cancelled:
            heappop(self._events)
        return self._events[0][0] if self._events else None

    def run(self, until_ns: int) -> list[Emission]:
        """Handle all events up to and including `until_ns`, in order of time."""
        emissions: list[Emission] = []
        events = self._events
        while events and events[0][0] <= until_ns:
            at_ns, _, stream = heappop(events)
            if stream.cancelled:
                continue
            self._now_ns = at_ns
            if stream.prefilled_tokens < stream.prompt_tokens:
                self._prefill(at_ns, stream)
            else:
                emissions.append(Emission(at_ns, stream, stream.emit(at_ns)))
                self._decode(at_ns, stream)
        self._now_ns = max(self._now_ns, until_ns)
        return emissions

    def cancel(self, stream: Stream) -> None:
        """Drop a request at once. What is in flight still drains through the stages, and then thrown away."""
        if not stream.cancelled and not stream.done:
            stream.cancelled = True
            self._active -= 1

    def unloaded_ns(self, prompt_tokens: int, output_tokens: int) -> tuple[int, int]:
        """Prefill and decode of a request that is alone: the chunks follow each other, then the slowest one's way."""
        full, rest = divmod(prompt_tokens, self._chunk_tokens)
        services = [self._stage_ns(size) for size, used in ((self._chunk_tokens, full), (rest, rest)) if used]
        chunks_ns = full * services[0] + (services[-1] if rest else 0)
        prefill_ns = chunks_ns + (self._stages - 1) * max(services)
        return prefill_ns, passes(output_tokens, self._accept_milli) * self._stages * self._token_ns

    def _prefill(self, at_ns: int, stream: Stream) -> None:
        size = min(self._chunk_tokens, stream.prompt_tokens - stream.prefilled_tokens)
        service_ns = self._stage_ns(size)
        entered_ns, left_ns = self._line.enter(at_ns, service_ns)
        if stream.started_ns is None:
            stream.started_ns = entered_ns
        stream.prefilled_tokens += size
        more = stream.prefilled_tokens < stream.prompt_tokens
        self._foresee(entered_ns + service_ns if more else left_ns, stream)

    def _decode(self, at_ns: int, stream: Stream) -> None:
        if stream.done:
            self._active -= 1
        else:
            self._foresee(self._line.enter(at_ns, self._token_ns)[1], stream)

    def _foresee(self, at_ns: int, stream: Stream) -> None:
        heappush(self._events, (at_ns, next(self._order), stream))
