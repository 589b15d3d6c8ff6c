"""`-` among the paths: standard input, kept in a file while it is read."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def spooled(paths: Sequence[str]) -> Iterator[list[str]]:
    """The paths with `-` replaced by a temporary file `stdin.log` that holds standard input."""
    if "-" not in paths:
        yield list(paths)
        return
    with tempfile.TemporaryDirectory(prefix="fastagent-") as folder:
        copy = Path(folder, "stdin.log")
        with copy.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield [str(copy) if path == "-" else path for path in paths]
