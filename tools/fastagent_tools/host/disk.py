"""File systems and how full they are, as `df` prints them."""

import re

from fastagent.state import Finding, Severity, Source
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.quote import quote

_COMMAND = re.compile(r"(^|[\s/])df(\s|$)")
_ROW = re.compile(r"(?P<device>\S+)\s+.*?\s(?P<percent>\d{1,3})%\s+(?P<mount>/.*)$")
_IMAGES = re.compile(r"^/dev/loop|squashfs|/snap/")  # read-only images are always full
FULL, NEARLY_FULL = 96, 85  # percent


def _read(output: Output) -> list[Finding]:
    inodes = re.search(r"\sdf?.*\s-\w*i", f" {output.command}") is not None
    found = []
    for line in output.text.splitlines():
        row = _ROW.match(line)
        if row and not _IMAGES.search(line) and int(row["percent"]) >= NEARLY_FULL:
            found.append(_finding(output, line, row["mount"].strip(), int(row["percent"]), inodes=inodes))
    return found


def _finding(output: Output, line: str, mount: str, percent: int, *, inodes: bool) -> Finding:
    severity: Severity = "critical" if percent >= FULL else "warning"
    what = "inodes" if inodes else "space"
    return Finding(
        kind="host.disk.full" if percent >= FULL else "host.disk.usage",
        statement=f"{mount}: {percent}% of its {what} is used",
        severity=severity,
        entity=mount,
        quote=quote(line),
        source=Source(command=output.command),
        score=0.9 if percent >= FULL else 0.4,
        reason=f"{100 - percent}% left",
    )


DISK = Reader("disk", lambda output: bool(_COMMAND.search(output.command)), _read)
