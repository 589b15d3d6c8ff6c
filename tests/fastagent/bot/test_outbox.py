from pathlib import Path

import httpx2
import pytest

from fastagent.bot.outbox import ATTEMPTS, KEEP_TRYING_S, Letter, NotDelivered, Refused, deliver, post_later
from fastagent.bot.owner import this_process
from tests.fastagent.bot.bot_parts import ME, OTHER, TARGET, Parts, Target


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    parts = Parts(tmp_path)
    post(parts)
    return parts


def post(parts: Parts) -> None:
    with parts.store.transaction() as db:
        post_later(db, "i1", TARGET, "{}", parts.clock())


def taken(parts: Parts, owner: str = ME) -> Letter:
    letter = parts.outbox.take(owner)
    assert letter
    return letter


def test_a_letter_is_taken_by_one_and_sent_once(parts: Parts) -> None:
    post(parts)  # the same key again
    letter = taken(parts)
    assert parts.outbox.take(OTHER) is None
    parts.outbox.sent(letter)
    parts.clock.at += 10 * KEEP_TRYING_S
    assert parts.outbox.take(ME) is None
    assert parts.outbox.state_of("i1") == "sent"
    assert parts.outbox.state_of("i2") == ""


def test_a_letter_whose_bearer_died_goes_again(parts: Parts) -> None:
    taken(parts, this_process())
    assert parts.outbox.take(OTHER) is None
    parts.outbox.recover()  # as our successor of the same number would
    taken(parts, OTHER)
    parts.outbox.recover()
    assert parts.outbox.take(ME) is None  # of other machines nothing is presumed
    parts.clock.at += 1_000
    taken(parts)


def test_what_was_not_delivered_rests_longer_each_time_and_is_given_up_after_a_day(parts: Parts) -> None:
    rests = []
    for _ in range(3):
        letter, began = taken(parts), parts.clock.at
        parts.outbox.put_back(letter, "the target answered 503", final=False)
        while parts.outbox.take(ME) is None:
            parts.clock.at += 30
        parts.outbox.put_back(letter, "x", final=False)
        rests.append(parts.clock.at - began)
        parts.clock.at += 7_200
    assert rests == sorted(rests)
    parts.clock.at += KEEP_TRYING_S
    parts.outbox.put_back(taken(parts), "still 503", final=False)
    assert parts.outbox.state_of("i1") == "failed: still 503"


def test_a_refusal_is_final(parts: Parts) -> None:
    parts.outbox.put_back(taken(parts), "the target answered 400", final=True)
    assert parts.outbox.state_of("i1") == "failed: the target answered 400"


@pytest.mark.virtual
@pytest.mark.parametrize("trouble", [503, 429, httpx2.ConnectError("no route")])
async def test_passing_trouble_is_waited_out_under_one_key(trouble: object) -> None:
    target = Target(trouble, trouble, 200)
    async with target.client() as client:
        await deliver(Letter("i1", TARGET, '{"a": 1}', 0.0, 0), client)
    assert [r.headers["idempotency-key"] for r in target.requests] == ["i1"] * 3
    assert target.requests[0].content == b'{"a": 1}'


@pytest.mark.virtual
async def test_lasting_trouble_and_refusals_are_told() -> None:
    down, strict = Target(500), Target(404)
    async with down.client() as client:
        with pytest.raises(NotDelivered, match="500"):
            await deliver(Letter("i1", TARGET, "{}", 0.0, 0), client)
    assert len(down.requests) == ATTEMPTS
    async with strict.client() as client:
        with pytest.raises(Refused, match="404"):
            await deliver(Letter("i1", TARGET, "{}", 0.0, 0), client)
    assert len(strict.requests) == 1
