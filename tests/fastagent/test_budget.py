import asyncio
import math

import pytest

from fastagent.budget import Budget, Deadline, now
from fastagent.errors import BudgetError, DeadlineExceeded


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_a_limit_that_is_no_positive_number_is_refused_by_name(value: float) -> None:
    with pytest.raises(BudgetError, match="total_s"):
        Budget(total_s=value)


@pytest.mark.virtual
async def test_a_child_never_outlives_its_parent() -> None:
    parent = Deadline(now() + 5)
    assert parent.within(60) == parent
    assert parent.within(1).left_s() == 1
    assert parent.sooner(2).left_s() == 3


@pytest.mark.virtual
async def test_work_is_cancelled_at_its_deadline_and_named() -> None:
    with pytest.raises(DeadlineExceeded, match="sleeping"):
        async with Deadline(now() + 30).enforce("sleeping"):
            await asyncio.sleep(1_000)
    assert now() == 30


@pytest.mark.virtual
async def test_a_timeout_of_the_work_itself_is_not_the_deadlines() -> None:
    with pytest.raises(TimeoutError):
        async with Deadline(now() + 30).enforce("work"), asyncio.timeout(1):
            await asyncio.sleep(10)


@pytest.mark.virtual
async def test_the_reserve_is_kept_from_the_search_and_given_to_the_answer() -> None:
    allowance = Budget(total_s=10, turns=3).start(spent_s=4)
    allowance.reserve_s = 2
    assert allowance.search_left_s() == 4
    assert allowance.take_turn().left_s() == 4
    assert allowance.take_turn(reserved=True).left_s() == 6
    await asyncio.sleep(4.5)
    with pytest.raises(BudgetError, match="time"):
        allowance.take_tool_call()
    assert allowance.take_turn(reserved=True).left_s() == 1.5
    assert allowance.exhausted == ["time"]


@pytest.mark.virtual
async def test_turns_and_tool_calls_run_out_too() -> None:
    allowance = Budget(turns=1, tool_calls=1).start()
    allowance.take_turn()
    allowance.take_tool_call()
    with pytest.raises(BudgetError, match="turns"):
        allowance.take_turn()
    with pytest.raises(BudgetError, match="tool_calls"):
        allowance.take_tool_call()
