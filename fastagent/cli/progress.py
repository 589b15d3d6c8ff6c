"""Progress on stderr: nothing in the first 0.3 s, then one line that is rewritten, or on no terminal plain lines."""

import sys
from time import monotonic

from fastagent.event import Believed, Event, Noted, ToolEnded, TurnStarted
from fastagent.report.text import clean

QUIET_S = 0.3  # an answer within it needs no progress
MAX_CHARS = 100


class Progress:
    """Tells a person what a run is doing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._began, self._quiet = monotonic(), quiet
        self._rewrites = sys.stderr.isatty()
        self._shown = False
        self._latest = ""

    def show(self, event: Event) -> None:
        """Show an event, if it says something; in the quiet time it is kept for `wake`."""
        if words := _words(event):
            self._latest = words
            self._say(words)

    def wake(self) -> None:
        """The quiet time is over: show what is going on, without waiting for the next event."""
        if self._latest and not self._shown:
            self._say(self._latest)

    def _say(self, words: str) -> None:
        passed_s = monotonic() - self._began
        if not self._quiet and passed_s >= QUIET_S:
            line = f"{passed_s:5.1f} s  {clean(words)}"[:MAX_CHARS]
            self._write(f"\r\x1b[2K{line}" if self._rewrites else f"{line}\n")

    def end(self) -> None:
        """Leave the screen as it was."""
        if self._shown and self._rewrites:
            self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        self._shown = True
        sys.stderr.write(text)
        sys.stderr.flush()


def _words(event: Event) -> str:
    match event:
        case TurnStarted(number, node, left_s):
            return f"turn {number}: {node} ({left_s:.1f} s left)"
        case ToolEnded(name, summary, _, _, _):
            return f"{name}: {summary}"
        case Believed(hypotheses) if hypotheses:
            return f"{hypotheses[0].belief:.2f} {hypotheses[0].statement}"
        case Noted(note):
            return note
    return ""
