"""What a tier remembers of earlier prompts: whole blocks of tokens, found by the chain of all that came before them.

A block is named by a hash of its tokens and of the block before it, so equal blocks at the same place after the same
beginning are one, and a change near the head misses everything behind it. When full, the block that was unused for
longest goes first; of one prompt, the tail goes before the head. A prompt counts as cached from its arrival on: two
alike that arrive together share what the first of them has yet to compute, which flatters bursts a little.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import takewhile

BLOCK_TOKENS = 128  # OpenAI reports cached tokens in multiples of this


class PrefixCache:
    """Prefixes of prompts, up to `capacity_tokens` of them. One per tier: tiers do not share."""

    def __init__(self, capacity_tokens: int) -> None:
        if capacity_tokens < 0:
            raise ValueError(f"a cache holds a number of tokens, not {capacity_tokens}")
        self._capacity_blocks = capacity_tokens // BLOCK_TOKENS
        self._blocks: OrderedDict[int, None] = OrderedDict()  # oldest use first

    @property
    def held_tokens(self) -> int:
        """Tokens that are remembered now."""
        return len(self._blocks) * BLOCK_TOKENS

    def reuse(self, tokens: Sequence[int]) -> int:
        """How many leading tokens need no prefill; the prompt is remembered from now on.

        The last token is always computed, since its output is what decoding starts from.
        """
        chain = tuple(_chain(tokens))
        known = sum(1 for _ in takewhile(self._blocks.__contains__, chain))
        self._remember(chain)
        return min(known, (len(tokens) - 1) // BLOCK_TOKENS) * BLOCK_TOKENS if tokens else 0

    def _remember(self, chain: Sequence[int]) -> None:
        for block in reversed(chain[: self._capacity_blocks]):  # the head is used last, and so kept longest
            self._blocks[block] = None
            self._blocks.move_to_end(block)
        while len(self._blocks) > self._capacity_blocks:
            self._blocks.popitem(last=False)


def _chain(tokens: Sequence[int]) -> Iterator[int]:
    before = 0
    for start in range(0, len(tokens) - BLOCK_TOKENS + 1, BLOCK_TOKENS):
        before = hash((before, *tokens[start : start + BLOCK_TOKENS]))
        yield before
