"""Quotes: one line as it stands in the file, short enough to show."""

import re

MAX_CHARS = 300
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|[\x00-\x08\x0b-\x1f\x7f]")


def quote(line: str) -> str:
    """The line, or its longest stretch without terminal codes: verbatim either way. Cut at the end only."""
    if _ESCAPE.search(line):
        line = max(_ESCAPE.split(line), key=len)
    return line.strip()[:MAX_CHARS]


def shorten(text: str, most: int) -> str:
    """Text of one line, cut at the end and marked so."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
