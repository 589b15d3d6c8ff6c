import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from fastagent_tools.text.intake import MAX_LINE_CHARS, RawLog, read_log

TEXT = "first\nsecond\nthird\n"


def read(path: Path, content: bytes, most: int = 1_000_000, has_time: Callable[[], bool] = lambda: True) -> RawLog:
    path.write_bytes(content)
    return read_log(path, "a.log", most, has_time)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gz", "bz2", "xz"])
def test_lines_come_out_whatever_they_are_packed_in(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    raw = read(tmp_path / "a", pack(TEXT.encode()))
    assert (raw.lines, raw.first, raw.gaps) == (["first", "second", "third"], 1, ())


def test_of_a_file_that_is_too_large_the_newest_part_is_kept_with_its_line_numbers(tmp_path: Path) -> None:
    raw = read(tmp_path / "a", b"x" * 99 + b"\n" + b"y" * 99 + b"\nlast\n", most=60)
    assert (raw.lines[-1], raw.first + len(raw.lines) - 1) == ("last", 3)
    assert raw.skipped_bytes


def test_without_time_to_count_line_numbers_are_unknown(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b"x\n" * 90, most=20, has_time=lambda: False).first == 0


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    assert len(read(tmp_path / "a", "one\x0c\u2028still one\r\ntwo\n".encode()).lines) == 2


def test_a_line_of_megabytes_is_cut_and_counted(tmp_path: Path) -> None:
    raw = read(tmp_path / "a", b"x" * (MAX_LINE_CHARS + 5) + b"\nnext\n")
    assert (len(raw.lines[0]), raw.cut, raw.lines[1]) == (MAX_LINE_CHARS, 1, "next")


def test_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b"caf\xe9\n").replaced == 1


def test_a_missing_file_is_a_gap(tmp_path: Path) -> None:
    assert read_log(tmp_path / "none", "none", 100, lambda: True).gaps
