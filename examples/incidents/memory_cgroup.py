"""Memory cgroups of our own, version 1 or 2: made for one recording, removed at its end. Both need root."""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_V1, _V2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Files:
    """What the versions call the same things. `events` holds a line "oom_kill N"."""

    limit: str
    usage: str
    peak: str
    refused: str
    events: str


_FILES_V1 = Files(
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    "memory.max_usage_in_bytes",
    "memory.failcnt",
    "memory.oom_control",
)
_FILES_V2 = Files("memory.max", "memory.current", "memory.peak", "memory.events.local", "memory.events")


@dataclass(frozen=True, slots=True)
class Group:
    """One cgroup: a folder of the kernel's."""

    path: Path
    files: Files

    def sample(self) -> dict[str, float]:
        """Bytes in use, the limit, and how many processes were killed so far."""
        events = (self.path / self.files.events).read_text(encoding="ascii").splitlines()
        kills = next(line.split()[1] for line in events if line.startswith("oom_kill "))
        return {
            "memory_usage_bytes": float((self.path / self.files.usage).read_text()),
            "memory_limit_bytes": float((self.path / self.files.limit).read_text()),
            "oom_kills_total": float(kills),
        }

    def commands(self) -> tuple[str, ...]:
        """How an on-call person reads it."""
        names = (self.files.limit, self.files.peak, self.files.refused, self.files.events)
        return tuple(f"cat {self.path}/{name}" for name in names)


@contextmanager
def groups(limits: Mapping[str, int]) -> Iterator[dict[str, Group]]:
    """Cgroups by name, with their limits in bytes, while the block runs. Its processes must have ended by then."""
    if os.getuid() != 0:
        sys.exit("limiting memory needs root")
    if not (_V1 / "memory.limit_in_bytes").exists() and not (_V2 / "cgroup.controllers").exists():
        sys.exit("no memory cgroups found below /sys/fs/cgroup")
    root, files = (_V1, _FILES_V1) if (_V1 / "memory.limit_in_bytes").exists() else (_V2, _FILES_V2)
    parent = Path(tempfile.mkdtemp(prefix="shop-", dir=root))
    made = {name: Group(parent / name, files) for name in limits}
    try:
        if files is _FILES_V2:
            for folder in (root, parent):
                (folder / "cgroup.subtree_control").write_text("+memory")
        for name, group in made.items():
            group.path.mkdir()
            (group.path / files.limit).write_text(str(limits[name]))
        yield made
    finally:
        for folder in (*(group.path for group in made.values()), parent):
            with suppress(FileNotFoundError):
                folder.rmdir()
