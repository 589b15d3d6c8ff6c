import itertools
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastagent.errors import ModelUnavailable
from fastagent.model.stream import events
from fastagent.testing import run_virtual


async def read(*pieces: bytes) -> list[dict[str, object]]:
    async def chunks() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return [event async for event in events(chunks())]


WHOLE = b': comment\r\n\r\nevent: a\r\ndata: {"n": 1}\r\n\r\ndata: {"n":\ndata: 2}\n\ndata: {"t": "\xc3\xa9"}\n\ndata: [DONE]\n\ndata: {"n": 9}\n\n'
EVENTS = [{"n": 1}, {"n": 2}, {"t": "é"}]


async def test_comments_line_ends_and_events_over_several_lines_are_read_up_to_done() -> None:
    assert await read(WHOLE) == EVENTS


@given(st.sets(st.integers(1, len(WHOLE) - 1)))
def test_an_event_may_be_split_at_any_byte(cuts: set[int]) -> None:
    edges = [0, *sorted(cuts), len(WHOLE)]
    pieces = [WHOLE[a:b] for a, b in itertools.pairwise(edges)]
    assert run_virtual(read(*pieces)) == EVENTS


async def test_an_end_without_a_blank_line_still_counts() -> None:
    assert await read(b'data: {"n": 1}') == [{"n": 1}]


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        (b"data: nonsense\n\n", "not JSON"),
        (b"data: [1]\n\n", "list where an object belongs"),
        (b'event: error\ndata: {"message": "overloaded"}\n\n', "overloaded"),
        (b'data: {"error": {"message": "boom"}}\n\n', "boom"),
        (b'data: {"type": "error", "error": "bare"}\n\n', "bare"),
    ],
)
async def test_what_clients_swallow_is_an_error_here(piece: bytes, words: str) -> None:
    with pytest.raises(ModelUnavailable, match=words):
        await read(piece)
