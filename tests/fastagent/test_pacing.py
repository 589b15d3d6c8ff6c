import asyncio

import pytest

from fastagent.budget import Allowance, Budget
from fastagent.ledger import Turn
from fastagent.pacing import Pacing

pytestmark = pytest.mark.virtual


def turn(node: str, tokens: int, decode_s: float, ttft_s: float = 0.0) -> Turn:
    return Turn(1, node, "t", 0.0, ttft_s, decode_s, ttft_s + decode_s, output_tokens=tokens)


def allowed(seconds: float, reserve_s: float = 0.0) -> Allowance:
    found = Budget(total_s=seconds).start()
    found.reserve_s = reserve_s
    return found


async def test_a_fast_model_with_time_gets_a_plan_and_a_slow_one_without_gets_none() -> None:
    assert Pacing(750.0).first(allowed(10))[0] == "cycle"
    assert Pacing(53.6).first(allowed(3))[0] == "stop"
    assert Pacing(53.6).first(allowed(20))[0] == "conclude"


async def test_what_is_measured_replaces_the_guess() -> None:
    pacing = Pacing(60.0)
    pacing.learn(turn("plan", 300, 0.4, ttft_s=0.02))
    assert pacing.tokens_per_s == pytest.approx(750.0)
    assert pacing.ttft_s == pytest.approx(0.02)
    assert pacing.turn_s("plan") < 0.6


async def test_a_slow_model_assesses_and_looks_again_in_one_turn() -> None:
    assert Pacing(100.0).after_calls(allowed(60))[0] == "fused"
    assert Pacing(750.0).after_calls(allowed(60))[0] == "cycle"


async def test_the_answer_is_given_while_it_still_fits() -> None:
    pacing = Pacing(750.0)
    allowance = allowed(4.0)
    assert pacing.after_look(allowance, "continue", 1)[0] == "cycle"
    await asyncio.sleep(1.7)
    assert pacing.after_look(allowance, "continue", 1)[0] == "verify"
    await asyncio.sleep(0.6)
    assert pacing.after_look(allowance, "continue", 1)[0] == "conclude"


async def test_looking_ends_when_nothing_more_is_wanted_or_the_cycles_are_used_up() -> None:
    pacing = Pacing(750.0)
    assert pacing.after_look(allowed(60), "conclude", 1)[0] == "verify"
    assert pacing.after_look(allowed(60), "continue", pacing.max_cycles)[0] == "verify"


async def test_every_decision_says_why() -> None:
    pacing = Pacing(750.0)
    for _, reason in (
        pacing.first(allowed(9)),
        pacing.after_calls(allowed(9)),
        pacing.after_look(allowed(9), "continue", 1),
    ):
        assert reason
