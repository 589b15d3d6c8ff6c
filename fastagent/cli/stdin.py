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
    if "-" not in paths:
        yield list(paths), ()
        return
    with tempfile.TemporaryDirectory(prefix="fastagent-") as folder:
        copy = Path(folder, "stdin.log")
        gap = _copy(sys.stdin.fileno(), copy, left_s)
        yield [str(copy) if path == "-" else path for path in paths], (gap,) if gap else ()


def _copy(source: int, copy: Path, left_s: Callable[[], float]) -> Gap | None:
    """Read until the end, the limit, or the time is over: a pipe may stay open for ever."""
    size = 0
    with copy.open("wb") as target:
        while size < MAX_BYTES:
            if not select.select([source], [], [], max(0.0, left_s()))[0]:
                return Gap(f"standard input after {size:,} bytes", "timeout")
            chunk = os.read(source, _CHUNK_BYTES)
            if not chunk:
                return None
            size += target.write(chunk)
    return Gap(f"standard input after {size:,} bytes", "too_large")
