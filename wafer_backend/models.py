"""The models: what of them a step must read, multiply and keep. And how a profile serves them on wafers and GPUs."""

from dataclasses import dataclass
from functools import cache

from wafer_backend.profiles import ProfileError, read


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A transformer, dense or a mixture of experts, as far as its speed goes."""

    name: str
    model_layers: int
    total_parameters: float
    active_parameters: float  # multiplied for each token
    dense_parameters: float  # read for every token: attention, shared experts; all of a dense model
    weight_bits: float
    hidden_elements: int
    activation_bytes: float  # an element of the hidden state
    kv_per_token_bytes: float  # over all layers

    @property
    def weight_bytes(self) -> float:
        """All weights."""
        return self.total_parameters * self.weight_bits / 8

    @property
    def hidden_bytes(self) -> float:
        """The hidden state of one token: what one stage hands to the next."""
        return self.hidden_elements * self.activation_bytes

    def read_bytes(self, tokens: int) -> float:
        """Weights that a step over `tokens` tokens reads: the dense part, and each expert that any token chose.

        Experts are taken as chosen evenly and independently: E[distinct] = routed * (1 - (1 - share)^tokens).
        """
        routed = self.total_parameters - self.dense_parameters
        share = (self.active_parameters - self.dense_parameters) / routed if routed else 0.0
        return (self.dense_parameters + routed * (1 - (1 - share) ** tokens)) * self.weight_bits / 8

    def flops(self, tokens: int) -> float:
        """A multiply and an add for each active parameter and token; attention over the context is left out."""
        return 2 * self.active_parameters * tokens


@dataclass(frozen=True, slots=True)
class WaferSetup:
    """How a model is spread over wafers."""

    hardware: str  # profile of the wafer
    pipeline_wafers: int
    layer_fixed_s: float  # of each layer whatever its size: mesh reductions, kernel sequencing
    accept_len_tokens: float  # tokens a decode pass yields; above 1 with speculative decoding
    chunk_tokens: int  # of prompt that enter the pipeline at once


@dataclass(frozen=True, slots=True)
class GpuSetup:
    """How a model is spread over GPUs: `tensor_gpus` share each layer, groups of them follow each other."""

    hardware: str  # profile of the GPU
    total_gpus: int
    tensor_gpus: int
    resident_streams: int  # of other users, always decoding beside ours
    layer_fixed_s: float  # of each layer whatever its size: all-reduces, launches
    accept_len_tokens: float
    chunk_tokens: int  # of prompt that share one step with the decoding streams


@dataclass(frozen=True, slots=True)
class Profile:
    """A model and the ways it is served."""

    model: ModelSpec
    wafer: WaferSetup | None
    gpu: GpuSetup | None


@cache
def profile(name: str) -> Profile:
    """A model's profile, e.g. "gpt-5.6-sol". Raises `ProfileError` when the profile describes no model."""
    sections = read(name)
    if "model" not in sections:
        raise ProfileError(f"profile {name!r} does not describe a model")
    return Profile(
        ModelSpec(name=name, **sections["model"].fields()),
        WaferSetup(**sections["wafer"].fields()) if "wafer" in sections else None,
        GpuSetup(**sections["gpu"].fields()) if "gpu" in sections else None,
    )
