from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wafer_backend import tokens
from wafer_backend.tokens import encode, pieces

FAMILY = "a 👩‍👩‍👧 and 𒀀"


def test_text_is_encoded_as_o200k_does() -> None:
    assert encode("hello world") == (24912, 2375)


def test_what_looks_like_a_special_token_is_text() -> None:
    assert len(encode("<|endoftext|>")) > 1


@given(st.text())
def test_pieces_are_as_many_as_tokens_and_join_to_the_text(text: Any) -> None:
    assert "".join(pieces(text)) == text
    assert len(pieces(text)) == len(encode(text))


def test_a_token_that_ends_inside_a_character_has_no_piece_of_its_own() -> None:
    assert "" in pieces(FAMILY)
    assert "".join(pieces(FAMILY)) == FAMILY


def test_the_same_segment_is_encoded_once() -> None:
    text = "a segment that only this test encodes"
    encode(text)
    before = tokens.encode.cache_info().hits
    encode(text)
    assert tokens.encode.cache_info().hits == before + 1
