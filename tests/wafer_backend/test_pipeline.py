"""Identities, and equality with a simulation that steps through every stage."""

import time
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wafer_backend.pipeline import Line, Pipeline
from wafer_backend.stream import Emission, Stream, passes

Arrival = tuple[int, int, int]  # at ns, prompt tokens, output tokens
FOREVER = 10**15
TAU = 7


def linear_ns(tokens: int) -> int:
    return TAU - 2 + 2 * tokens


def make(stages: int = 5, chunk_tokens: int = 4, accept_len: float = 1.0) -> Pipeline:
    return Pipeline(stages, linear_ns, chunk_tokens=chunk_tokens, accept_len=accept_len)


def stepped(
    stages: int,
    stage_ns: Callable[[int], int],
    chunk_tokens: int,
    accept_milli: int,
    arrivals: list[Arrival],
    cancelled_ns: dict[int, int],
) -> list[tuple[int, int, int]]:
    """The oracle: each job visits each stage in an event of its own. Returns (time, request, tokens)."""
    order, free_ns, emitted = count(), [0] * stages, []
    left, streams = [prompt for _, prompt, _ in arrivals], [Stream(p, o, accept_milli, at) for at, p, o in arrivals]
    events = [(at, next(order), 0, who, 0, True) for who, (at, _, _) in enumerate(arrivals)]
    heapify(events)
    while events:
        at, turn, stage, who, service, last = heappop(events)
        gone = at > cancelled_ns.get(who, FOREVER)
        if stage == stages:
            if last and not gone:
                emitted.append((at, who, streams[who].emit(at)))
                if not streams[who].done:
                    heappush(events, (at, turn, 0, who, 0, True))
            continue
        if stage == 0:
            if gone:
                continue
            turn = next(order)
            size = min(chunk_tokens, left[who]) or 1
            left[who], service = max(0, left[who] - size), stage_ns(size)
            last = left[who] == 0
        free_ns[stage] = ends = max(at, free_ns[stage]) + service
        heappush(events, (ends, turn, stage + 1, who, service, last))
        if stage == 0 and not last:
            heappush(events, (ends, turn, 0, who, 0, True))
    return emitted


arrival_lists = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 9), st.integers(0, 6)), max_size=7)


@settings(max_examples=150, deadline=None)
@given(
    stages=st.integers(1, 6),
    fixed=st.integers(1, 9),
    each=st.integers(0, 9),
    chunk_tokens=st.integers(1, 4),
    accept_milli=st.sampled_from([1000, 1500, 2300]),
    arrivals=arrival_lists,
    cancelled_ns=st.dictionaries(st.integers(0, 6), st.integers(200, 300), max_size=3),
)
def test_the_closed_form_equals_stepping_through_every_stage(
    stages: int,
    fixed: int,
    each: int,
    chunk_tokens: int,
    accept_milli: int,
    arrivals: list[Arrival],
    cancelled_ns: dict[int, int],
) -> None:
    def stage_ns(tokens: int) -> int:
        return fixed + each * tokens

    core = Pipeline(stages, stage_ns, chunk_tokens=chunk_tokens, accept_len=accept_milli / 1000)
    streams = [core.submit(*arrival) for arrival in arrivals]
    emissions: list[Emission] = []
    for who, at_ns in sorted(cancelled_ns.items(), key=lambda item: item[1]):
        emissions += core.run(at_ns)
        if who < len(streams):
            core.cancel(streams[who])
    emissions += core.run(FOREVER)
    got = [(at_ns, streams.index(stream), tokens) for at_ns, stream, tokens in emissions]
    assert got == stepped(stages, stage_ns, chunk_tokens, accept_milli, arrivals, cancelled_ns)
    assert core.active == 0


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 6), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), max_size=25))
def test_a_line_equals_the_recurrence_over_its_stages(stages: int, jobs: list[tuple[int, int]]) -> None:
    line, free_ns, at_ns = Line(stages), [0] * stages, 0
    for gap_ns, service_ns in jobs:
        at_ns += gap_ns
        entered_ns, ends_ns = max(at_ns, free_ns[0]), at_ns
        for stage in range(stages):
            free_ns[stage] = ends_ns = max(ends_ns, free_ns[stage]) + service_ns
        assert line.enter(at_ns, service_ns) == (entered_ns, ends_ns)


def finish(core: Pipeline, *arrivals: Arrival) -> list[Stream]:
    streams = [core.submit(*arrival) for arrival in arrivals]
    core.run(FOREVER)
    return streams


def test_the_first_token_takes_the_sum_of_all_stages() -> None:
    (stream,) = finish(make(stages=5), (100, 4, 1))
    assert stream.first_ns == 100 + 5 * linear_ns(4)


def test_chunks_follow_each_other_through_the_stages() -> None:
    (stream,) = finish(make(stages=5), (0, 12, 1))
    assert stream.first_ns == (5 + 3 - 1) * linear_ns(4)


def test_a_stream_alone_emits_once_a_round() -> None:
    core = make(stages=5)
    core.submit(0, 1, 10)
    times = [emission.at_ns for emission in core.run(FOREVER)]
    assert {later - earlier for earlier, later in pairwise(times)} == {5 * TAU}


@pytest.mark.parametrize("streams", [1, 3, 5, 6, 12])
def test_the_interval_of_n_streams_is_the_longer_of_the_round_and_the_queue(streams: int) -> None:
    core = make(stages=5)
    ours = [core.submit(0, 1, 40) for _ in range(streams)]
    times = [emission.at_ns for emission in core.run(FOREVER) if emission.stream is ours[0]]
    settled = times[5:]
    assert (settled[-1] - settled[0]) == (len(settled) - 1) * max(5, streams) * TAU


def test_a_full_pipeline_yields_a_token_every_stage_time() -> None:
    core = make(stages=5)
    for _ in range(8):
        core.submit(0, 1, 50)
    times = [emission.at_ns for emission in core.run(FOREVER)][:300]
    assert {later - earlier for earlier, later in pairwise(times)} == {TAU}


@pytest.mark.parametrize("prompt", [1, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("output", [0, 1, 2, 17])
@pytest.mark.parametrize("accept_len", [1.0, 1.7, 3.0])
def test_unloaded_times_are_those_of_a_request_alone(prompt: int, output: int, accept_len: float) -> None:
    core = make(accept_len=accept_len)
    (stream,) = finish(core, (0, prompt, output))
    assert stream.first_ns is not None
    assert stream.last_ns is not None
    assert (stream.first_ns, stream.last_ns - stream.first_ns) == core.unloaded_ns(prompt, output)


def test_all_tokens_come_out_and_those_cancelled_do_not() -> None:
    core = make()
    kept, dropped = core.submit(0, 3, 20), core.submit(0, 3, 20)
    early = core.run(200)
    core.cancel(dropped)
    core.cancel(dropped)
    assert core.active == 1
    late = core.run(FOREVER)
    assert sum(tokens for _, stream, tokens in early + late if stream is kept) == 20
    assert all(stream is kept for _, stream, _ in late)
    assert 0 < dropped.emitted_tokens < 20


def test_a_cancelled_stream_gives_its_place_to_the_others() -> None:
    core = make(stages=2)
    streams = [core.submit(0, 1, 1000) for _ in range(4)]
    core.run(1000)
    core.cancel(streams[3])
    core.cancel(streams[2])
    times = [at_ns for at_ns, stream, _ in core.run(2000) if stream is streams[0]][3:]
    assert {later - earlier for earlier, later in pairwise(times)} == {2 * TAU}


def test_when_all_are_cancelled_nothing_is_due() -> None:
    core = make()
    core.cancel(core.submit(0, 1, 5))
    assert core.next_ns() is None


def test_a_request_for_no_tokens_ends_with_its_prefill() -> None:
    core = make()
    stream = core.submit(0, 4, 0)
    assert core.run(FOREVER) == [(5 * linear_ns(4), stream, 0)]
    assert stream.done
    assert core.active == 0


def test_a_queued_prompt_says_when_it_began() -> None:
    core = make()
    first, second = core.submit(0, 4, 1), core.submit(1, 4, 1)
    core.run(FOREVER)
    assert (first.started_ns, second.started_ns) == (0, linear_ns(4))


def test_the_past_is_closed() -> None:
    core = make()
    core.run(100)
    core.submit(100, 1, 1)
    with pytest.raises(ValueError, match="99 ns"):
        core.submit(99, 1, 1)


@pytest.mark.parametrize(("prompt", "output"), [(0, 1), (1, -1)])
def test_impossible_requests_are_refused(prompt: int, output: int) -> None:
    with pytest.raises(ValueError, match="at least one prompt token"):
        make().submit(0, prompt, output)


def test_a_pass_yields_at_least_one_token() -> None:
    with pytest.raises(ValueError, match=r"0\.5"):
        make(accept_len=0.5)


@given(st.integers(0, 300), st.integers(1000, 5000))
def test_as_many_passes_are_foreseen_as_it_takes(output: int, accept_milli: int) -> None:
    stream, rounds = Stream(1, output, accept_milli, 0), 0
    stream.emit(0)
    while not stream.done:
        rounds += 1
        stream.emit(rounds)
    assert rounds == passes(output, accept_milli)


def test_a_token_costs_microseconds_however_many_stages_there_are() -> None:
    core = Pipeline(90, linear_ns, chunk_tokens=64)
    for _ in range(64):
        core.submit(0, 1, 300)
    began = time.process_time()
    emitted = len(core.run(FOREVER))
    assert (time.process_time() - began) / emitted < 50e-6  # about 2 on an idle machine; stepping 90 stages takes 100
