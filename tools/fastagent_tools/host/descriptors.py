"""File descriptors against their limits: `ulimit -n`, /proc/PID/limits, /proc/sys/fs/file-nr, counts of lsof."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_LIMITS = re.compile(r"^Max open files\s+(?P<soft>\d+)\s+(?P<hard>\d+)", re.MULTILINE)
_FILE_NR = re.compile(r"^(?P<used>\d+)\s+\d+\s+(?P<most>\d+)\s*$")
_COUNT = re.compile(r"^\s*(\d+)\s*$")
_COUNTS = re.compile(r"(?:/proc/(?P<pid>\d+)/fd|lsof .*-p ?(?P<lsof>\d+)).*\|\s*wc -l")
_ULIMIT = re.compile(r"\bulimit -S?n\b")
_WANTS = re.compile(r"/proc/\S+/(?:fd|limits)|\blsof\b|\bulimit -\w*n|file-nr")
NEARLY = 0.9


def _fits(output: Output) -> bool:
    return bool(
        _LIMITS.search(output.text)
        or (_WANTS.search(output.command) and (_COUNT.match(output.text) or "file-nr" in output.command))
    )


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    if (whole := _FILE_NR.match(output.text)) and "file-nr" in output.command:
        return _used(int(whole["used"]), int(whole["most"]), "the system", whole[0], original)
    counted = _COUNTS.search(output.command)
    limit = _limit(output)
    if counted and limit and (count := _COUNT.match(output.text)):
        return _used(int(count[1]), limit, f"process {counted['pid'] or counted['lsof']}", count[0], original)
    return []


def _limit(output: Output) -> int:
    """The limit of open files that another output tells."""
    for command, text in output.others.items():
        if match := _LIMITS.search(text):
            return int(match["soft"])
        if _ULIMIT.search(command) and (count := _COUNT.match(text)):
            return int(count[1])
    return 0


def _used(used: int, most: int, who: str, line: str, original: Original) -> list[Finding]:
    if not most or used / most < NEARLY:
        return []
    severity: Severity = "critical"
    said = f"{who} has {used} of {most} file descriptors open ({used / most:.0%})"
    return [
        original.finding("host.files.exhausted", said, severity, 0.88, "hardly any is left", needles=(line.strip(),))
    ]


DESCRIPTORS = Reader("descriptors", _fits, _read, wants=_WANTS)
