"""`-` among the paths: standard input, kept in a file while it is read, as long as there is time for it."""

import os
import select
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fastagent.state import Gap

MAX_BYTES = 2 * 1024 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024


@contextmanager
def spooled(paths: Sequence[str], left_s: Callable[[], float]) -> Iterator[tuple[list[str], tuple[Gap, ...]]]:
    """The paths with `-` replaced by a temporary file `stdin.log`, and what of standard input was not waited for."""
    if not any(map(_streams, paths)):
        yield list(paths), ()
        return
    with tempfile.TemporaryDirectory(prefix="fastagent-") as folder:
        files, gaps = [], []
        for number, path in enumerate(paths):
            if _streams(path):
                copy = Path(folder, f"stdin{number or ''}.log")
                gaps.append(_copy_from(path, copy, left_s))
                path = str(copy)  # noqa: PLW2901 - the copy takes its place
            files.append(path)
        yield files, tuple(gap for gap in gaps if gap)


def _streams(path: str) -> bool:
    """Whether it can be read only once: standard input, a pipe, what a shell puts for <(…)."""
    return path == "-" or Path(path).is_fifo()


def _copy_from(path: str, copy: Path, left_s: Callable[[], float]) -> Gap | None:
    if path == "-":
        return _copy(sys.stdin.fileno(), copy, left_s)
    source = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # else a pipe that nobody writes to would hold us for ever
    try:
        return _copy(source, copy, left_s)
    finally:
        os.close(source)


def _copy(source: int, copy: Path, left_s: Callable[[], float]) -> Gap | None:
    """Read until the end, the limit, or the time is over: a pipe may stay open for ever."""
    size = 0
    with copy.open("wb") as target:
        while size < MAX_BYTES:
            if not select.select([source], [], [], max(0.0, left_s()))[0]:
                return Gap(f"standard input after {size:,} bytes", "timeout")
            try:
                chunk = os.read(source, _CHUNK_BYTES)
            except BlockingIOError:
                continue
            if not chunk:
                return None
            size += target.write(chunk)
    return Gap(f"standard input after {size:,} bytes", "too_large")
