"""Layers to wafers. Weights must lie in SRAM: what does not fit is refused, with by how much and what would fit.

Every wafer takes an equal share of the layers, cut inside a layer where the numbers ask for it. A cut costs what a
boundary between layers costs: in both cases a token's hidden state, once, goes to the neighbour (inside a mixture of
experts it carries the partial sum of the experts so far). That makes all stages alike, which is what keeps a
pipeline full.
"""

import math
from dataclasses import dataclass

from wafer_backend.hardware import Wafer, roofline_s, wafer
from wafer_backend.models import ModelSpec, WaferSetup

MIN_KV_TOKENS = 8_192  # must fit beside the weights; the context that Llama was first offered with on wafers


class PlacementError(ValueError):
    """The model does not fit. The message says by how much, and what would."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A model on its wafers: the stages of a pipeline, all alike."""

    model: ModelSpec
    wafer: Wafer
    stages: int
    layer_fixed_s: float

    @property
    def layers_per_stage(self) -> float:
        """Not whole where layers are cut."""
        return self.model.model_layers / self.stages

    @property
    def weight_bytes(self) -> float:
        """Weights on one wafer."""
        return self.model.weight_bytes / self.stages

    @property
    def kv_tokens(self) -> int:
        """Tokens whose keys and values fit beside the weights."""
        free_bytes = self.stages * self.wafer.usable_bytes - self.model.weight_bytes
        return int(free_bytes / self.model.kv_per_token_bytes)

    def transfer_s(self, tokens: int) -> float:
        """Handing the hidden states of `tokens` tokens to the next wafer; a lone wafer hands nothing on."""
        if self.stages == 1:
            return 0.0
        return self.wafer.link_latency_s + tokens * self.model.hidden_bytes / self.wafer.link_per_s_bytes

    def compute_s(self, tokens: int) -> float:
        """The layers of one stage over `tokens` tokens that go through together."""
        work_s = roofline_s(
            self.model.read_bytes(tokens) / self.stages,
            self.model.flops(tokens) / self.stages,
            self.wafer.sram_per_s_bytes,
            self.wafer.per_s_flops * self.wafer.matmul_share,
        )
        return work_s + self.layers_per_stage * self.layer_fixed_s

    def stage_ns(self, tokens: int) -> int:
        """How long a stage is taken: its layers, and the transfer that ends its part. Nanoseconds."""
        return round((self.compute_s(tokens) + self.transfer_s(tokens)) * 1e9)


def place(model: ModelSpec, setup: WaferSetup) -> Placement:
    """The model on the wafers of `setup`. Raises `PlacementError` when it does not fit."""
    machine, stages = wafer(setup.hardware), setup.pipeline_wafers
    if stages < 1:
        raise PlacementError(f"{model.name} needs at least one wafer, not {stages}")
    need_bytes = model.weight_bytes + MIN_KV_TOKENS * model.kv_per_token_bytes
    if need_bytes > stages * machine.usable_bytes:
        raise PlacementError(_refusal(model, machine, stages, need_bytes))
    return Placement(model, machine, stages, setup.layer_fixed_s)


def _refusal(model: ModelSpec, machine: Wafer, stages: int, need_bytes: float) -> str:
    usable_bytes = machine.usable_bytes
    room_bytes = stages * usable_bytes - MIN_KV_TOKENS * model.kv_per_token_bytes
    bits = math.floor(room_bytes * 8 / model.total_parameters)
    fewer = f", or weights of {bits} bits" if bits >= 1 else ""
    return (
        f"{model.name} does not fit on {stages} wafers: {need_bytes / stages / 1e9:.1f} GB a wafer with room for "
        f"{MIN_KV_TOKENS:,} tokens of KV cache, {usable_bytes / 1e9:.1f} GB usable, "
        f"{(need_bytes / stages - usable_bytes) / 1e9:.1f} GB too much; "
        f"{math.ceil(need_bytes / usable_bytes)} wafers would hold it{fewer}"
    )
