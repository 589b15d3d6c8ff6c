import asyncio
from contextlib import aclosing
from itertools import pairwise
from typing import Any

import pytest

from fastagent.testing import run_virtual
from wafer_backend.driver import Driver, Generation, Job, Timing
from wafer_backend.kvcache import BLOCK_TOKENS
from wafer_backend.pipeline import Pipeline
from wafer_backend.tiers import Tier, Tiers, UnknownTier

NS = 1.5e-9  # a nanosecond, and what floats add to it


def job(output_tokens: int = 10, prompt_tokens: int = 300, tier: str = "ultrafast", first: int = 0) -> Job:
    return Job(tuple(range(first, first + prompt_tokens)), output_tokens, tier)


def paced(**options: Any) -> Driver:
    return Driver(Tiers.default(), pace="real", **options)


def short(stages: int = 2) -> Tiers:
    """One tier of a few slow stages, on which streams soon compete: a millisecond each."""
    return Tiers([Tier("ultrafast", lambda: Pipeline(stages, lambda _: 1_000_000, chunk_tokens=64), 10_000)])


def now() -> float:
    return asyncio.get_running_loop().time()


async def drain(generation: Generation) -> list[int]:
    return [tokens async for tokens in generation]


async def arrivals_of(generation: Generation) -> list[float]:
    return [now() async for _ in generation]


@pytest.mark.virtual
@pytest.mark.parametrize("tier", ["ultrafast", "default"])
async def test_a_job_alone_takes_what_was_quoted(tier: str) -> None:
    driver, work = paced(), job(tier=tier)
    generation = driver.submit(work)
    assert sum(await drain(generation)) == 10
    quoted = driver.quote(work, generation.cached_tokens)[tier]
    assert now() == pytest.approx(quoted, abs=NS)
    assert generation.timing.total_s == pytest.approx(quoted, abs=NS)
    assert generation.timing.lag_s == 0


@pytest.mark.virtual
async def test_each_token_comes_at_its_own_time() -> None:
    times = await arrivals_of(paced().submit(job(output_tokens=10)))
    assert len(times) == 10
    interval = 1 / Tiers.default().resolve("ultrafast").tokens_per_s
    assert all(later - earlier == pytest.approx(interval, abs=NS) for earlier, later in pairwise(times))


@pytest.mark.parametrize("tier", ["ultrafast", "default"])
def test_unpaced_nobody_waits_and_the_timing_is_the_same(tier: str) -> None:
    async def timing(driver: Driver, yields: int) -> Timing:
        generation = driver.submit(job(tier=tier))
        assert len(await drain(generation)) == yields
        return generation.timing

    assert asyncio.run(timing(Driver(Tiers.default()), 1)) == run_virtual(timing(paced(), 10))


def test_ten_jobs_in_a_row_take_the_predicted_time_twice() -> None:
    async def ten() -> tuple[float, float, list[Timing]]:
        driver, predicted, timings = paced(), 0.0, []
        for turn in range(10):
            work = job(output_tokens=50, prompt_tokens=500 + 200 * turn, tier=("ultrafast", "default")[turn % 2])
            generation = driver.submit(work)
            predicted += driver.quote(work, generation.cached_tokens)[work.tier]
            await drain(generation)
            timings.append(generation.timing)
        return now(), predicted, timings

    took, predicted, timings = run_virtual(ten())
    assert took == pytest.approx(predicted, abs=1e-9)
    assert (took, predicted, timings) == run_virtual(ten())


@pytest.mark.virtual
async def test_streams_that_compete_slow_each_other_and_quotes_do_not_know() -> None:
    driver = Driver(short(stages=2), pace="real")
    generations = [driver.submit(job(output_tokens=11, first=1000 * i)) for i in range(4)]
    await asyncio.gather(*(drain(generation) for generation in generations))
    assert generations[0].timing.decode_s > 10 * 2e-3  # alone, a round of two stages each
    assert generations[3].timing.queue_s > 0
    assert driver.quote(job(output_tokens=11), 0)["ultrafast"] < generations[0].timing.total_s


@pytest.mark.virtual
async def test_a_consumer_that_comes_late_gets_all_due_tokens_at_once() -> None:
    driver = Driver(short(), pace="real")
    generation = driver.submit(job(output_tokens=20, prompt_tokens=64))
    await asyncio.sleep(0.012)  # prefill 2 ms, then a token every 2 ms: six are due
    assert await anext(generation) == 6
    assert sum(await drain(generation)) == 14


@pytest.mark.virtual
async def test_time_scale_stretches_the_waits_and_not_the_timings() -> None:
    driver, work = paced(time_scale=2.0), job()
    generation = driver.submit(work)
    await drain(generation)
    quoted = driver.quote(work, 0)["ultrafast"]
    assert now() == pytest.approx(2 * quoted, abs=2 * NS)
    assert generation.timing.total_s == pytest.approx(quoted, abs=NS)
    assert generation.timing.lag_s == pytest.approx(0, abs=NS)


@pytest.mark.virtual
async def test_cancelling_frees_the_slot_at_once_and_ends_the_iteration() -> None:
    driver = paced()
    generation = driver.submit(job(output_tokens=1000))
    waiting = asyncio.create_task(drain(generation))
    await asyncio.sleep(0.1)
    assert driver.active("ultrafast") == 1
    generation.cancel()
    generation.cancel()
    assert driver.active("ultrafast") == 0
    assert 0 < sum(await waiting) < 1000
    assert now() == pytest.approx(0.1)
    assert generation.timing.decode_s < 0.1


@pytest.mark.virtual
@pytest.mark.parametrize("tier", ["ultrafast", "default"])
async def test_leaving_early_closes_the_generation(tier: str) -> None:
    driver = paced()
    async with aclosing(driver.submit(job(tier=tier))) as generation:
        assert await anext(generation) == 1
    assert driver.active(tier) == 0
    assert await drain(generation) == []


@pytest.mark.virtual
async def test_a_cancelled_consumer_may_come_back() -> None:
    generation = paced().submit(job(output_tokens=5))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(generation), 1e-6)
    assert sum(await drain(generation)) == 5


@pytest.mark.virtual
async def test_cancelling_after_the_end_changes_nothing() -> None:
    generation = paced().submit(job())
    await drain(generation)
    before = generation.timing
    generation.cancel()
    assert generation.timing == before


async def test_unpaced_a_cancelled_generation_yields_nothing() -> None:
    generation = Driver(Tiers.default()).submit(job())
    generation.cancel()
    assert await drain(generation) == []


@pytest.mark.virtual
@pytest.mark.parametrize("pace", ["none", "real"])
async def test_a_job_for_no_tokens_ends_with_its_prefill(pace: Any) -> None:
    generation = Driver(Tiers.default(), pace=pace).submit(job(output_tokens=0))
    assert await drain(generation) == []
    assert generation.timing.prefill_s == generation.timing.total_s > 0


async def test_a_second_turn_reuses_the_first_on_its_own_tier_only() -> None:
    driver = Driver(Tiers.default())
    first = driver.submit(job(prompt_tokens=300))
    again = driver.submit(job(prompt_tokens=400))
    other = driver.submit(job(prompt_tokens=400, tier="default"))
    assert (first.cached_tokens, again.cached_tokens, other.cached_tokens) == (0, 2 * BLOCK_TOKENS, 0)
    assert again.timing.cached_tokens == 2 * BLOCK_TOKENS
    assert again.timing.prefill_s < first.timing.prefill_s


async def test_an_empty_prompt_still_takes_a_pass() -> None:
    assert Driver(Tiers.default()).submit(job(prompt_tokens=0)).timing.prefill_s > 0


async def test_an_alias_is_served_and_an_unknown_tier_refused() -> None:
    driver = Driver(Tiers.default())
    assert driver.tier_names == ("ultrafast", "default")
    assert driver.submit(job(tier="auto")).timing.total_s == driver.quote(job(), 0)["default"]
    with pytest.raises(UnknownTier):
        driver.submit(job(tier="warp"))


@pytest.mark.parametrize("options", [{"pace": "warp"}, {"time_scale": 0.0}, {"time_scale": float("nan")}])
def test_impossible_clocks_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"warp|time_scale"):
        Driver(Tiers.default(), **options)


def test_a_driver_outlives_its_loop() -> None:
    driver = paced()

    async def leave_early() -> None:
        await anext(driver.submit(job(output_tokens=1000)))

    async def stay() -> tuple[float, int]:
        generation = driver.submit(job())
        await drain(generation)
        return now(), generation.cached_tokens

    run_virtual(leave_early())
    took, cached_tokens = run_virtual(stay())
    assert cached_tokens == 2 * BLOCK_TOKENS
    assert took == pytest.approx(driver.quote(job(), cached_tokens)["ultrafast"], abs=NS)


async def test_in_real_time_the_mean_rate_is_the_announced_one() -> None:
    times: list[float] = []
    total = 0
    async for tokens in paced().submit(job(output_tokens=500, prompt_tokens=1)):
        times.append(now())
        total += tokens
    assert total == 500
    # Bounds for a busy machine: what pacing achieves is measured by the benchmarks, on an idle one.
    assert 500 / (times[-1] - times[0]) == pytest.approx(750, rel=0.1)


async def test_after_a_hold_up_all_streams_end_with_what_was_due() -> None:
    driver = Driver(short(), pace="real")
    generations = [driver.submit(job(output_tokens=5, first=first)) for first in (0, 1000)]
    held_until = now() + 0.05
    while now() < held_until:  # past the last token of both
        pass
    assert [await drain(generation) for generation in generations] == [[5], [5]]
    assert driver.active("ultrafast") == 0


async def test_in_real_time_lateness_is_reported_and_does_not_add_up() -> None:
    generation = Driver(short(), pace="real").submit(job(output_tokens=100, prompt_tokens=64))
    began = now()
    async for _ in generation:
        while now() - began < 0.004:  # hold up the loop once, early on
            pass
    assert generation.timing.lag_s > 0
    assert now() - began == pytest.approx(generation.timing.total_s, abs=0.05)
