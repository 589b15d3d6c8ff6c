"""The process around a command: when it started, how it ends."""

import errno
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
INPUT_SHARE = 0.5  # of the time allowed, for waiting for standard input and unpacking archives
_IMPORTED_AT = time.monotonic()


def age_s() -> float:
    """Seconds since this process was started by the system: the user's clock began there, not at our first line.

    From /proc (10 ms steps); where there is none, since this module was imported.
    """
    try:
        fields = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()
        started_s = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # field 22: clock ticks after boot
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started_s)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.monotonic() - _IMPORTED_AT


def prepare_streams() -> None:
    """Make output possible whatever the terminal can show, and let SIGTERM clean up as Ctrl-C does."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - it lives as long as the process
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def leave(status: int) -> NoReturn:
    """End the process now. A thread that a deadline has abandoned must not hold the exit back."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (ValueError, OSError, AttributeError):
            continue
    os._exit(status)
