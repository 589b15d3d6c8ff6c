"""Making foreign text fit to be shown: what a log holds must not move the reader's cursor or colour their screen."""

import re

from fastagent.state import Report

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|\x1b.?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Text without terminal escapes, control characters and direction overrides; tabs and newlines become spaces."""
    return _CONTROL.sub("", _ESCAPE.sub("", text).replace("\t", " ").replace("\n", " "))


def seconds(value: float) -> str:
    """Seconds as people read them: 12 ms, 0.84 s, 38.4 s."""
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def change_of(report: Report) -> str:
    """The change to blame in one line, or that none explains it; "" where no changes were recorded."""
    change = report.change
    if change is None:
        return ""
    if change.commit == "none":
        return f"none of the recorded changes explains it: {clean(change.why)}"
    return f"{clean(change.kind)} {clean(change.commit)}: {clean(change.why)}"
