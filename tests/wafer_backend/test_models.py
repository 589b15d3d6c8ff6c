from dataclasses import replace

import pytest

from wafer_backend.models import profile
from wafer_backend.profiles import ProfileError

SOL = profile("gpt-5.6-sol").model


def test_one_token_reads_what_is_active() -> None:
    assert SOL.read_bytes(1) == pytest.approx(SOL.active_parameters * SOL.weight_bits / 8)


def test_a_large_batch_reads_all_weights_and_never_more() -> None:
    assert SOL.read_bytes(8) < 8 * SOL.read_bytes(1)
    assert SOL.read_bytes(100_000) == pytest.approx(SOL.weight_bytes)


def test_a_dense_model_reads_all_weights_for_any_batch() -> None:
    llama = profile("llama-3.1-8b").model
    assert llama.read_bytes(1) == llama.read_bytes(64) == llama.weight_bytes


def test_the_default_profile_lies_inside_the_estimated_ranges() -> None:
    served = profile("gpt-5.6-sol")
    assert served.wafer is not None
    assert 2e12 <= served.model.total_parameters <= 4e12
    assert 70 <= served.model.model_layers <= 90
    assert 70 <= served.wafer.pipeline_wafers <= 100
    assert 12e-6 <= served.wafer.layer_fixed_s <= 28e-6


def test_fewer_bits_are_fewer_bytes() -> None:
    assert replace(SOL, weight_bits=4).weight_bytes == SOL.weight_bytes / 2


def test_hardware_is_not_a_model() -> None:
    with pytest.raises(ProfileError, match="'wse-3' does not describe a model"):
        profile("wse-3")
