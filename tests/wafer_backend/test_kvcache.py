import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wafer_backend.kvcache import BLOCK_TOKENS, PrefixCache


def prompt(*blocks: int, tail: int = 1) -> list[int]:
    """A prompt of whole blocks, each filled with one token id, and a few tokens more."""
    return [block for block in blocks for _ in range(BLOCK_TOKENS)] + [0] * tail


def test_nothing_is_cached_at_first_and_whole_blocks_are_later() -> None:
    cache = PrefixCache(10_000)
    assert cache.reuse(prompt(1, 2, tail=5)) == 0
    assert cache.reuse(prompt(1, 2, tail=9)) == 2 * BLOCK_TOKENS


def test_a_longer_conversation_reuses_what_it_grew_from() -> None:
    cache = PrefixCache(10_000)
    cache.reuse(prompt(1, 2))
    assert cache.reuse(prompt(1, 2, 3, 4)) == 2 * BLOCK_TOKENS
    assert cache.reuse(prompt(1, 2, 3, 4, 5)) == 4 * BLOCK_TOKENS


def test_a_changed_head_misses_everything_behind_it() -> None:
    cache = PrefixCache(10_000)
    cache.reuse(prompt(1, 2, 3))
    assert cache.reuse(prompt(9, 2, 3)) == 0


def test_the_last_token_is_always_computed() -> None:
    cache = PrefixCache(10_000)
    cache.reuse(prompt(1, 2, tail=0))
    assert cache.reuse(prompt(1, 2, tail=0)) == BLOCK_TOKENS


def test_short_and_empty_prompts_are_not_cached() -> None:
    cache = PrefixCache(10_000)
    for tokens in ([], [1, 2, 3]):
        cache.reuse(tokens)
        assert cache.reuse(tokens) == 0
    assert cache.held_tokens == 0


def test_the_longest_unused_goes_first() -> None:
    cache = PrefixCache(4 * BLOCK_TOKENS)
    cache.reuse(prompt(1, 2))
    cache.reuse(prompt(3, 4))
    cache.reuse(prompt(1, 2))
    cache.reuse(prompt(5))
    assert cache.reuse(prompt(1, 2)) == 2 * BLOCK_TOKENS
    assert cache.reuse(prompt(3, 4)) == BLOCK_TOKENS  # its tail went


def test_of_a_prompt_that_is_too_long_the_head_is_kept() -> None:
    cache = PrefixCache(2 * BLOCK_TOKENS)
    cache.reuse(prompt(1, 2, 3))
    assert cache.reuse(prompt(1, 2, 3)) == 2 * BLOCK_TOKENS


def test_a_capacity_is_not_negative() -> None:
    with pytest.raises(ValueError, match="-1"):
        PrefixCache(-1)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 6), st.lists(st.lists(st.integers(1, 3), max_size=5), max_size=12))
def test_never_more_is_held_or_reused_than_there_is(capacity: int, prompts: list[list[int]]) -> None:
    cache, seen = PrefixCache(capacity * BLOCK_TOKENS), set[tuple[int, ...]]()
    for blocks in prompts:
        reused = cache.reuse(prompt(*blocks)) // BLOCK_TOKENS
        assert reused <= min(capacity, len(blocks))
        assert reused == 0 or tuple(blocks[:reused]) in seen
        assert cache.held_tokens <= capacity * BLOCK_TOKENS
        seen |= {tuple(blocks[: end + 1]) for end in range(len(blocks))}
