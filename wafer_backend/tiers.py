"""Service tiers: the names a request may ask for, and the back end each stands for.

There are two: "ultrafast" is the wafer pipeline, "default" the GPUs. OpenAI's other names are served by the default
tier, as a project without access to them would be, and the reply says so: none of them is emulated as hardware.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from wafer_backend import gpu, models, placement
from wafer_backend.pipeline import Pipeline
from wafer_backend.stream import Core

ULTRAFAST, DEFAULT = "ultrafast", "default"
ALIASES = dict.fromkeys(("auto", "flex", "scale", "priority", "fast"), DEFAULT)


class UnknownTier(ValueError):  # noqa: N818  what it is, as in the rest of the error names
    """No tier has this name; the message lists those that there are."""


@dataclass(frozen=True, slots=True)
class Tier:
    """A back end under the name that requests use. `core` makes one, quiet, at time zero."""

    name: str
    core: Callable[[], Core]
    kv_tokens: int  # capacity for keys and values, what the prefix cache may hold

    @property
    def tokens_per_s(self) -> float:
        """Decode rate of a stream that is alone."""
        return 1000 / (self.core().unloaded_ns(1, 1001)[1] / 1e9)

    def unloaded_s(self, prompt_tokens: int, output_tokens: int) -> float:
        """How long a request takes that is alone; `prompt_tokens` are those no cache spares."""
        return sum(self.core().unloaded_ns(prompt_tokens, output_tokens)) / 1e9


class Tiers:
    """The tiers of one back end, by name."""

    def __init__(self, tiers: Iterable[Tier]) -> None:
        self._tiers = {tier.name: tier for tier in tiers}

    @classmethod
    def default(cls, profile: str = "gpt-5.6-sol") -> "Tiers":
        """The tiers that a model's profile describes. Raises `ProfileError`, or says what does not fit."""
        served = models.profile(profile)
        tiers = []
        if served.wafer is not None:
            tiers.append(_on_wafers(served.model, served.wafer))
        if served.gpu is not None:
            tiers.append(_on_gpus(served.model, served.gpu))
        return cls(tiers)

    @property
    def names(self) -> tuple[str, ...]:
        """The tiers themselves, without aliases."""
        return tuple(self._tiers)

    def resolve(self, name: str) -> Tier:
        """The tier that serves requests for `name`. Raises `UnknownTier`."""
        tier = self._tiers.get(ALIASES.get(name, name))
        if tier is None:
            known = [*self._tiers, *(alias for alias, served in ALIASES.items() if served in self._tiers)]
            raise UnknownTier(f"unknown service tier {name!r}; known: {', '.join(known)}")
        return tier


def _on_wafers(model: models.ModelSpec, setup: models.WaferSetup) -> Tier:
    placed = placement.place(model, setup)
    stage_ns = lru_cache(maxsize=4096)(placed.stage_ns)

    def core() -> Pipeline:
        return Pipeline(placed.stages, stage_ns, chunk_tokens=setup.chunk_tokens, accept_len=setup.accept_len_tokens)

    return Tier(ULTRAFAST, core, placed.kv_tokens)


def _on_gpus(model: models.ModelSpec, setup: models.GpuSetup) -> Tier:
    grouped = gpu.group(model, setup)
    step_ns = lru_cache(maxsize=4096)(grouped.step_ns)

    def core() -> gpu.GpuBatch:
        return gpu.GpuBatch(step_ns, chunk_tokens=setup.chunk_tokens, accept_len=setup.accept_len_tokens)

    return Tier(DEFAULT, core, grouped.kv_tokens)
