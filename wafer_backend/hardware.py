"""The machines: a wafer and a GPU, as their makers publish them. Values only; `profiles/*.toml` holds the figures.

A name reads as quantity, then unit: `sram_per_s_bytes` is SRAM bandwidth in bytes per second.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from wafer_backend.profiles import ProfileError, read


@dataclass(frozen=True, slots=True)
class Wafer:
    """A wafer-scale engine. Shares are fractions of one."""

    sram_bytes: float
    sram_per_s_bytes: float
    per_s_flops: float
    matmul_share: float  # of peak, reached by dense matrix products
    link_per_s_bytes: float  # to the next wafer
    link_latency_s: float
    reserve_share: float  # of SRAM, neither weights nor KV cache
    fabric_per_s_bytes: float
    area_mm2: float
    compute_cores: int
    chip_transistors: float

    @property
    def usable_bytes(self) -> float:
        """SRAM for weights and KV cache."""
        return self.sram_bytes * (1 - self.reserve_share)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU with stacked memory. Shares are fractions of one."""

    hbm_bytes: float
    hbm_per_s_bytes: float
    per_s_flops: float
    matmul_share: float  # of peak, reached by dense matrix products
    reserve_share: float  # of HBM, neither weights nor KV cache
    nvlink_per_s_bytes: float

    @property
    def usable_bytes(self) -> float:
        """HBM for weights and KV cache."""
        return self.hbm_bytes * (1 - self.reserve_share)


@cache
def wafer(profile: str) -> Wafer:
    """The wafer of a profile, e.g. "wse-3". Raises `ProfileError` when the profile describes none."""
    return Wafer(**_fields(profile, "wafer"))


@cache
def gpu(profile: str) -> Gpu:
    """The GPU of a profile, e.g. "h200". Raises `ProfileError` when the profile describes none."""
    return Gpu(**_fields(profile, "gpu"))


def roofline_s(read_bytes: float, flops: float, per_s_bytes: float, per_s_flops: float) -> float:
    """Seconds of work that is bound either by reading its weights or by multiplying with them."""
    return max(read_bytes / per_s_bytes, flops / per_s_flops)


def _fields(profile: str, kind: str) -> dict[str, Any]:
    sections = read(profile)
    if kind not in sections or "model" in sections:
        raise ProfileError(f"profile {profile!r} does not describe a {kind}")
    return sections[kind].fields()
