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

    def show(self, event: Event) -> None:
        """Show an event, if it says something and the quiet time is over."""
        words = _words(event)
        passed_s = monotonic() - self._began
        if words and not self._quiet and passed_s >= QUIET_S:
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
