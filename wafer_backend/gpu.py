"""GPUs with weights in HBM: every step reads weights once, for all streams in the batch. Virtual time, like `pipeline`.

Continuous batching: at each step's end streams join and leave. A step serves all decoding streams and at most one
chunk of one prompt. Its length is a roofline (read the weights the batch needs, or multiply) plus a fixed time a
layer, so one stream is slow, and many are hardly slower.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from wafer_backend.hardware import Gpu, gpu, roofline_s
from wafer_backend.models import GpuSetup, ModelSpec
from wafer_backend.stream import Emission, Stream, milli, passes


class GpuMemoryError(ValueError):
    """The model does not fit into the GPUs' memory. The message says by how much, and what would."""


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """A model on its GPUs."""

    model: ModelSpec
    gpu: Gpu
    setup: GpuSetup

    def __post_init__(self) -> None:
        need_bytes, have_bytes = self.model.weight_bytes, self.setup.total_gpus * self.gpu.usable_bytes
        if need_bytes >= have_bytes:
            raise GpuMemoryError(
                f"{self.model.name} has {need_bytes / 1e9:.1f} GB of weights, {self.setup.total_gpus} GPUs hold "
                f"{have_bytes / 1e9:.1f} GB; {math.floor(need_bytes / self.gpu.usable_bytes) + 1} GPUs would hold it"
            )

    @property
    def kv_tokens(self) -> int:
        """Tokens whose keys and values fit beside the weights."""
        free_bytes = self.setup.total_gpus * self.gpu.usable_bytes - self.model.weight_bytes
        return int(free_bytes / self.model.kv_per_token_bytes)

    def batch(self, streams: int) -> int:
        """Streams a step serves: ours and the residents, spread over the groups that follow each other."""
        groups = self.setup.total_gpus // self.setup.tensor_gpus
        return -(-(streams + self.setup.resident_streams) // groups)

    def step_ns(self, streams: int, chunk_tokens: int) -> int:
        """One token for each of `streams`, and `chunk_tokens` of prompt along with them. Nanoseconds."""
        tokens = self.batch(streams) + chunk_tokens
        work_s = roofline_s(
            self.model.read_bytes(tokens),
            self.model.flops(tokens),
            self.setup.tensor_gpus * self.gpu.hbm_per_s_bytes,
            self.setup.tensor_gpus * self.gpu.per_s_flops * self.gpu.matmul_share,
        )
        return round((work_s + self.model.model_layers * self.setup.layer_fixed_s) * 1e9)


def group(model: ModelSpec, setup: GpuSetup) -> GpuGroup:
    """The model on the GPUs of `setup`. Raises `GpuMemoryError` when it does not fit."""
    return GpuGroup(model, gpu(setup.hardware), setup)


@dataclass(frozen=True, slots=True)
class _Step:
    """What is under way: who decodes, and how much of whose prompt goes along."""

    ends_ns: int
    decoders: tuple[Stream, ...]
    prompt: Stream | None
    chunk_tokens: int


class GpuBatch:
    """A `Core` (see `stream`); `step_ns(streams, chunk)` is how long a step takes."""

    def __init__(self, step_ns: Callable[[int, int], int], *, chunk_tokens: int, accept_len: float = 1.0) -> None:
        self._step_ns, self._chunk_tokens, self._accept_milli = step_ns, chunk_tokens, milli(accept_len)
        self._arrivals: list[tuple[int, int, Stream]] = []
        self._order = count()
        self._waiting: deque[Stream] = deque()  # prompts, first come first served
        self._decoding: list[Stream] = []
        self._step: _Step | None = None
        self._now_ns = 0

    @property
    def active(self) -> int:
        """Requests that are neither done nor cancelled."""
        arriving = sum(not stream.cancelled for _, _, stream in self._arrivals)
        return arriving + len(self._waiting) + len(self._decoding)

    def submit(self, at_ns: int, prompt_tokens: int, output_tokens: int) -> Stream:
        """Let a request arrive. Raises `ValueError` for a time that has been run past."""
        if at_ns < self._now_ns:
            raise ValueError(f"arrival at {at_ns} ns, but it is {self._now_ns} ns already")
        stream = Stream(prompt_tokens, output_tokens, self._accept_milli, at_ns)
        heappush(self._arrivals, (at_ns, next(self._order), stream))
        return stream

    def next_ns(self) -> int | None:
        """When the next event is due; None when all is quiet."""
        if self._step is not None:
            return self._step.ends_ns
        while self._arrivals and self._arrivals[0][2].cancelled:
            heappop(self._arrivals)
        return self._arrivals[0][0] if self._arrivals else None

    def run(self, until_ns: int) -> list[Emission]:
        """Handle all events up to and including `until_ns`, in order of time."""
        emissions: list[Emission] = []
        while (at_ns := self.next_ns()) is not None and at_ns <= until_ns:
            self._now_ns = at_ns
            if self._step is not None:
                emissions += self._end(self._step)
            self._admit(at_ns)
            self._step = self._begin(at_ns)
        self._now_ns = max(self._now_ns, until_ns)
        return emissions

    def cancel(self, stream: Stream) -> None:
        """Drop a request at once. The step under way keeps its length."""
        if stream.cancelled or stream.done:
            return
        stream.cancelled = True
        if stream in self._waiting:
            self._waiting.remove(stream)
        if stream in self._decoding:
            self._decoding.remove(stream)

    def unloaded_ns(self, prompt_tokens: int, output_tokens: int) -> tuple[int, int]:
        """Prefill and decode of a request that is alone but for the residents."""
        full, rest = divmod(prompt_tokens, self._chunk_tokens)
        prefill_ns = full * self._step_ns(0, self._chunk_tokens) + (self._step_ns(0, rest) if rest else 0)
        return prefill_ns, passes(output_tokens, self._accept_milli) * self._step_ns(1, 0)

    def _admit(self, at_ns: int) -> None:
        while self._arrivals and self._arrivals[0][0] <= at_ns:
            stream = heappop(self._arrivals)[2]
            if not stream.cancelled:
                self._waiting.append(stream)

    def _begin(self, at_ns: int) -> _Step | None:
        prompt = self._waiting[0] if self._waiting else None
        if prompt is None and not self._decoding:
            return None
        chunk = self._take(prompt, at_ns) if prompt else 0
        ends_ns = at_ns + self._step_ns(len(self._decoding), chunk)
        return _Step(ends_ns, tuple(self._decoding), prompt, chunk)

    def _take(self, prompt: Stream, at_ns: int) -> int:
        if prompt.started_ns is None:
            prompt.started_ns = at_ns
        return min(self._chunk_tokens, prompt.prompt_tokens - prompt.prefilled_tokens)

    def _end(self, step: _Step) -> list[Emission]:
        emitting = [stream for stream in step.decoders if not stream.cancelled]
        if step.prompt is not None and not step.prompt.cancelled:
            emitting += self._end_chunk(step.prompt, step.chunk_tokens)
        emissions = [Emission(step.ends_ns, stream, stream.emit(step.ends_ns)) for stream in emitting]
        self._decoding = [stream for stream in emitting if not stream.done]
        return emissions

    def _end_chunk(self, prompt: Stream, chunk_tokens: int) -> list[Stream]:
        """The prompt itself when this chunk was its last."""
        prompt.prefilled_tokens += chunk_tokens
        if prompt.prefilled_tokens < prompt.prompt_tokens:
            return []
        self._waiting.popleft()
        return [prompt]
