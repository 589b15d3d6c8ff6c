"""Text to tokens and back, with o200k, the vocabulary of the models we emulate. Embedded: nothing is downloaded.

A conversation only grows at its end, so text is encoded segment by segment through a cache: a turn costs what it
added and not what was said before.
"""

from codecs import getincrementaldecoder
from functools import cache, lru_cache
from typing import Any

SEGMENTS = 2048  # segments kept encoded; a long conversation has hundreds


@lru_cache(maxsize=SEGMENTS)
def encode(text: str) -> tuple[int, ...]:
    """The token ids of `text`. What looks like a special token is plain text: clients cannot forge framing."""
    return tuple(_tokenizer().encode(text))


def pieces(text: str) -> tuple[str, ...]:
    """The text that each token completes; joined they are `text`.

    A token may end inside a UTF-8 sequence. Such a token's piece is empty and the character belongs to the token
    that completes it, so that there are as many pieces as tokens.
    """
    decoder = getincrementaldecoder("utf-8")()
    return tuple(decoder.decode(_token_bytes(token)) for token in encode(text))


@lru_cache(maxsize=65536)
def _token_bytes(token: int) -> bytes:
    return bytes(_vocabulary().decode_tokens([token]))


@cache
def _tokenizer() -> Any:
    from rs_bpe.bpe import openai  # type: ignore[import-not-found]  # 48 MB: loaded when the first text is encoded

    return openai.o200k_base()


@cache
def _vocabulary() -> Any:
    return _tokenizer().bpe()
