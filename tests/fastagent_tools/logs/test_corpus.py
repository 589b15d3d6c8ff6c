"""What of the logs is parsed when time is short."""

from collections.abc import Iterable

import pytest

from fastagent_tools.logs import corpus
from fastagent_tools.logs.corpus import BLOCK_LINES
from fastagent_tools.text.intake import RawLog


def parsed(names: Iterable[str], blocks: int) -> dict[str, int]:
    """How many blocks of each file are parsed when there is time for `blocks` of them."""
    left = iter([True] * blocks)
    lines = ["2026-01-01T10:00:00Z INFO GET /"] * (3 * BLOCK_LINES)
    files = [
        corpus._Parsing(index, RawLog(name, lines), name, 2026, reference=name.startswith("normal"))
        for index, name in enumerate(names)
    ]
    corpus._parse_newest_first(files, lambda: next(left, False))
    return {f.raw.path: len(f.blocks) for f in files}


@pytest.mark.parametrize(("blocks", "app", "normal"), [(0, 1, 1), (2, 1, 1), (3, 1, 2), (4, 2, 2), (99, 3, 3)])
def test_files_take_turns_the_good_times_first_and_the_newest_of_the_rest_is_always_read(
    blocks: int, app: int, normal: int
) -> None:
    assert parsed(["app", "normal"], blocks) == {"app": app, "normal": normal}


def test_where_all_files_are_of_good_times_the_newest_block_is_enough() -> None:
    assert parsed(["normal-a", "normal-b"], 0) == {"normal-a": 1, "normal-b": 0}
