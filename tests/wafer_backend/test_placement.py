import re
from dataclasses import replace

import pytest

from wafer_backend.models import ModelSpec, WaferSetup, profile
from wafer_backend.placement import MIN_KV_TOKENS, PlacementError, place

SOL = profile("gpt-5.6-sol")
LARGE = replace(SOL.model, name="large", total_parameters=4e12, model_layers=90)


def setup(wafers: int) -> WaferSetup:
    assert SOL.wafer is not None
    return replace(SOL.wafer, pipeline_wafers=wafers)


def test_four_trillion_weights_fit_a_hundred_wafers_and_not_ninety() -> None:
    with pytest.raises(PlacementError, match=r"large does not fit on 90 wafers: .* GB too much"):
        place(LARGE, setup(90))
    assert place(LARGE, setup(100)).layers_per_stage == 0.9


def test_a_refusal_names_the_fewest_wafers_and_the_most_bits_that_would_do() -> None:
    with pytest.raises(PlacementError) as refusal:
        place(LARGE, setup(90))
    found = re.search(r"(\d+) wafers would hold it, or weights of (\d+) bits", str(refusal.value))
    assert found is not None
    wafers, bits = map(int, found.groups())
    place(LARGE, setup(wafers))
    place(replace(LARGE, weight_bits=bits), setup(90))
    for model, count in ((LARGE, wafers - 1), (replace(LARGE, weight_bits=bits + 1), 90)):
        with pytest.raises(PlacementError):
            place(model, setup(count))


def test_no_bits_are_offered_where_none_would_do() -> None:
    with pytest.raises(PlacementError, match=r"wafers would hold it$"):
        place(LARGE, setup(2))


def test_a_pipeline_has_at_least_one_wafer() -> None:
    with pytest.raises(PlacementError, match="at least one wafer"):
        place(LARGE, setup(0))


def test_weights_and_kv_cache_fill_what_is_usable_and_no_more() -> None:
    placed = place(SOL.model, setup(80))
    held = placed.weight_bytes * placed.stages + placed.kv_tokens * SOL.model.kv_per_token_bytes
    usable = placed.stages * placed.wafer.usable_bytes
    assert usable - SOL.model.kv_per_token_bytes < held <= usable
    assert placed.kv_tokens >= MIN_KV_TOKENS


@pytest.mark.parametrize("wafers", [80, 90, 100, 160])
def test_cutting_layers_moves_work_and_adds_transfers_only(wafers: int) -> None:
    placed = place(SOL.model, setup(wafers))
    whole = place(SOL.model, setup(80))
    assert wafers * placed.compute_s(1) == pytest.approx(80 * whole.compute_s(1))
    assert placed.transfer_s(1) == whole.transfer_s(1)


def test_a_lone_wafer_hands_nothing_on() -> None:
    llama = profile("llama-3.1-8b")
    assert llama.wafer is not None
    assert place(llama.model, llama.wafer).transfer_s(64) == 0


def token_per_s(name: str) -> float:
    served = profile(name)
    assert served.wafer is not None
    placed = place(served.model, served.wafer)
    return served.wafer.accept_len_tokens * 1e9 / (placed.stages * placed.stage_ns(1))


@pytest.mark.parametrize(("name", "published"), [("llama-3.1-8b", 1800), ("llama-3.1-70b", 450)])
def test_one_fixed_time_a_layer_explains_the_published_speeds_without_speculation(name: str, published: float) -> None:
    assert token_per_s(name) == pytest.approx(published, rel=0.25)


def test_a_mixture_with_speculation_lands_in_its_reported_range() -> None:
    assert 1706 <= token_per_s("gpt-oss-120b") <= 3000


def test_weight_reads_are_a_sliver_of_a_stage() -> None:
    placed = place(SOL.model, setup(80))
    bare = ModelSpec.read_bytes(SOL.model, 1) / 80 / placed.wafer.sram_per_s_bytes
    assert bare < 0.01 * placed.compute_s(1)
