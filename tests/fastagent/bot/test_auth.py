from base64 import b64encode

import pytest

from fastagent.bot.auth import Credentials


def basic(pair: str) -> str:
    return "Basic " + b64encode(pair.encode()).decode()


@pytest.mark.parametrize(
    ("shown", "allowed"),
    [
        ("Bearer s3cret", True),
        ("bearer s3cret", True),
        ("Bearer wrong", False),
        ("Bearer ", False),
        ("s3cret", False),
        ("", False),
        (basic("ann:pw"), True),
        (basic("ann:other"), False),
        (basic("anybody:s3cret"), True),
        (basic("ann"), False),
        ("Basic !!", False),
        ("Basic \xff", False),
        ("Digest s3cret", False),
    ],
)
def test_a_token_or_a_pair_opens_the_door(shown: str, allowed: bool) -> None:
    assert Credentials("s3cret", "ann:pw").allow({"authorization": shown}) is allowed


def test_what_was_not_set_opens_nothing() -> None:
    assert not Credentials(token="t").allow({"authorization": basic(":")})
    assert not Credentials(basic="a:b").allow({"authorization": "Bearer "})
    assert not Credentials(basic="a:b").allow({})


def test_without_credentials_everybody_is_let_in() -> None:
    assert Credentials().allow({})
