import pytest

from wafer_backend.profiles import ProfileError
from wafer_backend.tiers import ALIASES, Tiers, UnknownTier

TIERS = Tiers.default()


def test_the_announced_speeds_follow_from_the_physics() -> None:
    assert TIERS.resolve("ultrafast").tokens_per_s == pytest.approx(750, abs=0.1)
    assert TIERS.resolve("default").tokens_per_s == pytest.approx(53.6, abs=0.1)


def test_the_announced_ratio_follows_too() -> None:
    ratio = TIERS.resolve("ultrafast").tokens_per_s / TIERS.resolve("default").tokens_per_s
    assert ratio == pytest.approx(14, rel=0.01)


@pytest.mark.parametrize("alias", ALIASES)
def test_other_names_are_served_by_the_default_tier(alias: str) -> None:
    assert TIERS.resolve(alias) is TIERS.resolve("default")


def test_an_unknown_tier_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownTier, match="unknown service tier 'warp'; known: ultrafast, default, auto, flex"):
        TIERS.resolve("warp")


def test_a_profile_without_gpus_offers_no_default_tier() -> None:
    wafers_only = Tiers.default("llama-3.1-8b")
    assert wafers_only.names == ("ultrafast",)
    with pytest.raises(UnknownTier, match=r"known: ultrafast$"):
        wafers_only.resolve("auto")


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ProfileError, match="no profile 'gpt-9'"):
        Tiers.default("gpt-9")


def test_each_tier_holds_long_conversations() -> None:
    assert all(TIERS.resolve(name).kv_tokens > 1_000_000 for name in TIERS.names)


def test_a_request_alone_takes_its_prefill_and_its_rounds() -> None:
    tier = TIERS.resolve("ultrafast")
    decode_s = tier.unloaded_s(100, 101) - tier.unloaded_s(100, 1)
    assert decode_s == pytest.approx(100 / tier.tokens_per_s, abs=1e-9)
