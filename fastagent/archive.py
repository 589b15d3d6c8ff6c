"""Archives of evidence, unpacked with care: nothing lands outside the folder, nothing grows without bound.

Whoever packed the archive is not trusted. Links, devices, absolute names and `..` are left out; what is too large or
damaged is left out from there on. Each omission is a `Gap`.
"""

import shutil
import stat
import tarfile
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from fastagent.errors import InputError
from fastagent.state import Gap

MAX_FILES = 50_000
MAX_BYTES = 1024 * 1024 * 1024  # unpacked, all files together
_CHUNK_BYTES = 1024 * 1024
_BROKEN = (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, RuntimeError, NotImplementedError)


class Folder:
    """A temporary folder that goes when it is closed, or when nobody holds it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="fastagent-"))
        self._gone = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def close(self) -> None:
        """Remove it with all that is in it."""
        self._gone()


@dataclass(frozen=True, slots=True)
class _Member:
    """A regular file of an archive; None in `open` where it cannot be had."""

    name: str
    size_bytes: int
    open: AbstractContextManager[IO[bytes]] | None


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Where the files are, and what was left out. `root` is `folder` or lies in it."""

    root: Path
    gaps: tuple[Gap, ...]
    folder: Folder


def is_archive(path: Path) -> bool:
    """Whether a file is a zip or a tar, by its content. Raises `InputError` for a zip that was cut off."""
    try:
        with path.open("rb") as file:
            begins_as_zip = file.read(4) == b"PK\x03\x04"
        if begins_as_zip and not zipfile.is_zipfile(path):
            raise InputError(f"{path}: this zip is cut off: its index, which stands at the end, is missing")
        return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)
    except _BROKEN:
        return False


def unpack(path: Path, has_time: Callable[[], bool] = lambda: True) -> Unpacked:
    """Unpack into a temporary folder, while there is time. Raises `InputError` where not one file could be read."""
    folder = Folder()
    root = folder.path
    gaps: list[Gap] = []
    count = room = 0
    try:
        for member in _members(path):
            if not has_time() or count >= MAX_FILES or room + member.size_bytes > MAX_BYTES:
                gaps.append(Gap(f"{path.name}: from {member.name} on", "too_large" if has_time() else "timeout"))
                break
            written, whole = _write(member, root, MAX_BYTES - room, has_time)
            if not whole:
                gaps.append(Gap(f"{path.name}: {member.name}", "unreadable"))
            if written or whole:
                count, room = count + 1, room + written
    except _BROKEN:
        gaps.append(Gap(f"{path.name}: the archive is damaged, what stands before the damage was read", "unreadable"))
    if not count:
        folder.close()
        raise InputError(f"{path}: no file could be read from this archive")
    return Unpacked(_top(root), tuple(gaps), folder)


def _members(path: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    linked = stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & 1  # bit 0: encrypted
                    yield _Member(info.filename, info.file_size, None if linked else archive.open(info))
        return
    with tarfile.open(path) as tar:
        for entry in tar:
            if not entry.isdir():
                content = tar.extractfile(entry) if entry.isreg() else None
                yield _Member(entry.name, entry.size, content)


def _write(member: _Member, root: Path, room: int, has_time: Callable[[], bool]) -> tuple[int, bool]:
    """Bytes written, and whether that is all of it. Sizes that the archive states are not believed."""
    name = PurePosixPath(member.name.replace("\\", "/"))
    if member.open is None or name.is_absolute() or ".." in name.parts or not name.parts or "\0" in member.name:
        return 0, False
    target = root.joinpath(*name.parts)
    written = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with member.open as source, target.open("xb") as out:
            while chunk := source.read(_CHUNK_BYTES):
                if written + len(chunk) > room or not has_time():
                    return written, False
                written += out.write(chunk)
    except _BROKEN:
        return written, False  # a log that breaks off still tells how it began
    return written, True


def _top(root: Path) -> Path:
    """The folder that holds the parts: archives are often made of the folder itself."""
    inside = list(root.iterdir())
    return _top(inside[0]) if len(inside) == 1 and inside[0].is_dir() and not _is_part(inside[0].name) else root


def _is_part(name: str) -> bool:
    return name in {"logs", "metrics", "traces", "changes", "cloud", "alerts", "commands"}
