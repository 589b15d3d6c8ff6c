"""The lines of a file that was read whole."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines of a file, for quotes. Line `i` is line `first + i` of the file."""

    path: str
    lines: Sequence[str]
    first: int = 1
