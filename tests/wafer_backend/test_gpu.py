from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wafer_backend.gpu import GpuBatch, GpuMemoryError, group
from wafer_backend.models import GpuSetup, profile

SOL = profile("gpt-5.6-sol")
FOREVER = 10**15

arrival_lists = st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 9), st.integers(0, 6)), max_size=8)


def setup() -> GpuSetup:
    assert SOL.gpu is not None
    return SOL.gpu


def step_ns(streams: int, chunk_tokens: int) -> int:
    return 100 + streams + 10 * chunk_tokens


def make(accept_len: float = 1.0) -> GpuBatch:
    return GpuBatch(step_ns, chunk_tokens=4, accept_len=accept_len)


def test_a_step_alone_reads_the_weights_of_its_batch_and_adds_the_fixed_time() -> None:
    gpus = group(SOL.model, setup())
    read_s = SOL.model.read_bytes(8) / (8 * 4.8e12)
    assert gpus.batch(1) == 8
    assert gpus.step_ns(1, 0) == pytest.approx((read_s + 80 * setup().layer_fixed_s) * 1e9, abs=1)


def test_more_streams_cost_each_a_little_and_yield_more_together() -> None:
    gpus = group(SOL.model, setup())
    steps = [gpus.step_ns(streams, 0) for streams in (1, 8, 64, 512)]
    rates = [streams / step for streams, step in zip((1, 8, 64, 512), steps, strict=True)]
    assert steps == sorted(steps)
    assert rates == sorted(rates)


def test_a_dense_model_in_memory_bandwidth_stays_below_its_roof() -> None:
    dense = replace(
        SOL.model, total_parameters=405e9, active_parameters=405e9, dense_parameters=405e9, model_layers=126
    )
    one_node = replace(setup(), total_gpus=8, resident_streams=0)
    assert 1e9 / group(dense, one_node).step_ns(1, 0) < 95  # 405 GB over 8 x 4.8 TB/s


def test_what_does_not_fit_is_refused_with_what_would() -> None:
    with pytest.raises(GpuMemoryError, match=r"8 GPUs hold 1015\.2 GB; 24 GPUs would hold it"):
        group(SOL.model, replace(setup(), total_gpus=8))
    assert group(SOL.model, replace(setup(), total_gpus=24)).kv_tokens > 0


@pytest.mark.parametrize("prompt", [1, 4, 5, 8, 11])
@pytest.mark.parametrize("output", [0, 1, 2, 17])
@pytest.mark.parametrize("accept_len", [1.0, 1.7])
def test_unloaded_times_are_those_of_a_request_alone(prompt: int, output: int, accept_len: float) -> None:
    core = make(accept_len)
    stream = core.submit(50, prompt, output)
    core.run(FOREVER)
    assert stream.first_ns is not None
    assert stream.last_ns is not None
    assert (stream.first_ns - 50, stream.last_ns - stream.first_ns) == core.unloaded_ns(prompt, output)


def test_all_streams_of_a_batch_emit_together() -> None:
    core = make()
    for _ in range(3):
        core.submit(0, 1, 20)
    times = sorted({at_ns for at_ns, _, _ in core.run(FOREVER)})
    assert {later - earlier for earlier, later in pairwise(times[3:-2])} == {step_ns(3, 0)}


def test_a_prompt_waits_for_the_step_under_way() -> None:
    core = make()
    core.submit(0, 1, 5)
    late = core.submit(30, 4, 1)
    core.run(FOREVER)
    assert late.started_ns == step_ns(0, 1)
    assert late.first_ns == step_ns(0, 1) + step_ns(1, 4)


def test_prompts_are_prefilled_one_after_the_other() -> None:
    core = make()
    first, second = core.submit(0, 8, 1), core.submit(0, 4, 1)
    core.run(FOREVER)
    assert (first.first_ns, second.started_ns) == (2 * step_ns(0, 4), 2 * step_ns(0, 4))


def test_a_prompt_cancelled_in_its_step_credits_nobody() -> None:
    core = make()
    first, second = core.submit(0, 8, 1), core.submit(0, 8, 1)
    core.run(10)
    core.cancel(first)
    core.cancel(first)
    assert core.active == 1
    core.run(FOREVER)
    assert second.first_ns == 3 * step_ns(0, 4)
    assert first.emitted_tokens == 0


def test_a_cancelled_stream_leaves_the_batch() -> None:
    core = make()
    kept, dropped, never = core.submit(0, 1, 50), core.submit(0, 1, 50), core.submit(900, 1, 50)
    core.run(800)
    core.cancel(dropped)
    core.cancel(never)
    times = [at_ns for at_ns, stream, _ in core.run(FOREVER) if stream is kept]
    assert {later - earlier for earlier, later in pairwise(times)} == {step_ns(1, 0)}
    assert kept.emitted_tokens == 50
    assert never.started_ns is None


def test_the_past_is_closed_and_quiet_is_quiet() -> None:
    core = make()
    core.cancel(core.submit(100, 1, 1))
    assert core.next_ns() is None
    core.run(100)
    with pytest.raises(ValueError, match="99 ns"):
        core.submit(99, 1, 1)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 9), st.integers(0, 6)), max_size=8), st.integers(0, 2000)
)
def test_tokens_are_conserved_and_time_never_runs_back(arrivals: list[tuple[int, int, int]], cut_ns: int) -> None:
    core = make()
    streams = [core.submit(*arrival) for arrival in arrivals]
    emissions = core.run(cut_ns)
    for stream in streams[::3]:
        core.cancel(stream)
    emissions += core.run(FOREVER)
    assert [at_ns for at_ns, _, _ in emissions] == sorted(at_ns for at_ns, _, _ in emissions)
    for stream in streams:
        assert sum(tokens for _, who, tokens in emissions if who is stream) == stream.emitted_tokens
        assert stream.cancelled or stream.done
    assert core.active == 0
