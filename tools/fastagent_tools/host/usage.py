"""Who fills a disk, as `du` prints it: the folder that holds most of what lies beside it."""

import re

from fastagent.state import Finding, Source
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.quote import quote

_COMMAND = re.compile(r"(^|[\s/|])du\s")
_INODES = re.compile(r"--inodes")
_ROW = re.compile(r"^(?P<size>\d+(?:\.\d+)?)(?P<unit>[BKMGTP]?)i?B?\s+(?P<path>/\S.*)$", re.MULTILINE)
_UNITS = {"": 1.0, "B": 1 / 1024, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}  # in KiB
LARGE_SHARE = 0.5  # of all that is listed: more than the others together
_KINDS_OF_FOLDERS = {"log", "logs", "data", "tmp", "cache", "lib", "var", "srv", "opt", "home", "spool", "backup"}


def _read(output: Output) -> list[Finding]:
    if _INODES.search(output.command):
        return []
    rows = [(float(m["size"]) * _UNITS[m["unit"]], m["path"].strip(), m[0]) for m in _ROW.finditer(output.text)]
    leaves = [r for r in rows if not any(other[1].startswith(f"{r[1].rstrip('/')}/") for other in rows)]
    total = sum(size for size, _, _ in leaves)
    largest = max(leaves, default=None)
    if largest is None or len(leaves) < 2 or not total or largest[0] < LARGE_SHARE * total:
        return []
    size, path, line = largest
    owner = _owner(path)
    return [
        Finding(
            kind="host.disk.holder",
            statement=f"{owner}: {path} holds {size / 1024:.0f} MiB, {size / total:.0%} of what is listed",
            severity="error",
            entity=owner,
            quote=quote(line),
            source=Source(command=output.command),
            score=0.75,
            reason=f"more than the other {len(leaves) - 1} together",
        )
    ]


def _owner(path: str) -> str:
    """The part of the path that is called after somebody, from its end on."""
    parts = [p for p in path.split("/") if p]
    return next((p for p in reversed(parts) if p.lower() not in _KINDS_OF_FOLDERS), parts[-1] if parts else path)


USAGE = Reader("usage", lambda output: bool(_COMMAND.search(output.command)), _read)
