"""Log files to lines: compressed or not (by content), any size, any bytes. Line numbers are those of the file.

Of a file that is too large the newest part is kept. What cannot be read becomes a `Gap`.
"""

import bz2
import gzip
import lzma
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import IO

from fastagent.state import Gap

MAX_LINE_CHARS = 64 * 1024
_CHUNK_BYTES = 1 << 20
_SAMPLE_BYTES = 8 * 1024
_Opener = Callable[[Path], BufferedIOBase]
_OPENERS: tuple[tuple[bytes, _Opener], ...] = (
    (b"\x1f\x8b", gzip.GzipFile),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


@dataclass(frozen=True, slots=True)
class RawLog:
    """Lines of one file, oldest first. Line `i` of `lines` is line `first + i` of the file."""

    path: str
    lines: list[str]
    first: int = 1  # 1-based; 0 = unknown, there was no time to count what stands before
    skipped_bytes: int = 0  # older content, unpacked, that was not kept
    replaced: int = 0  # characters that were not UTF-8
    cut: int = 0  # lines cut at MAX_LINE_CHARS
    gaps: tuple[Gap, ...] = ()


def read_log(file: Path, path: str, max_bytes: int, has_time: Callable[[], bool]) -> RawLog:
    """The newest `max_bytes` of a log. Stops counting and unpacking when `has_time` says no."""
    try:
        with file.open("rb") as plain:
            head = plain.read(_SAMPLE_BYTES)
            opener = next((o for magic, o in _OPENERS if head.startswith(magic)), None)
            if opener is None:
                if head.startswith(_UTF16):
                    return _from_utf16(plain, path, max_bytes)
                if b"\x00" in head:
                    return RawLog(path, [], gaps=(Gap(path, "unreadable"),))
                return _from_plain(plain, path, max_bytes, has_time)
        return _from_packed(opener, file, path, max_bytes, has_time)
    except OSError:
        return RawLog(path, [], gaps=(Gap(path, "unreadable"),))


def _from_plain(plain: IO[bytes], path: str, max_bytes: int, has_time: Callable[[], bool]) -> RawLog:
    skip = max(0, plain.seek(0, 2) - max_bytes)
    plain.seek(0)
    newlines, passed = 0, 0
    while passed < skip and has_time():
        chunk = plain.read(min(_CHUNK_BYTES, skip - passed))
        newlines, passed = newlines + chunk.count(b"\n"), passed + len(chunk)
    plain.seek(skip)
    return _split(plain.read(max_bytes), path, newlines + 1 if passed >= skip else 0, skip)


def _from_utf16(plain: IO[bytes], path: str, max_bytes: int) -> RawLog:
    """What Windows tools write by default. The newest part, from an even byte on."""
    size = plain.seek(0, 2)
    skip = max(0, size - max_bytes) // 2 * 2
    plain.seek(0)
    codec = "utf-16-le" if plain.read(2) == _UTF16[0] else "utf-16-be"
    plain.seek(skip)
    return _split(plain.read(max_bytes).decode(codec, "replace").encode(), path, 0 if skip else 1, skip)


def _from_packed(opener: _Opener, file: Path, path: str, max_bytes: int, has_time: Callable[[], bool]) -> RawLog:
    kept: deque[bytes] = deque()
    size = newlines = skipped = 0
    gaps: tuple[Gap, ...] = ()
    chunks = _chunks(opener, file)
    while has_time():
        try:
            chunk = next(chunks, b"")
        except _BROKEN:
            gaps = (Gap(path, "unreadable"),)  # what was unpacked before the damage is kept
            break
        if not chunk:
            break
        kept.append(chunk)
        size += len(chunk)
        while size - len(kept[0]) >= max_bytes:
            old = kept.popleft()
            size, skipped, newlines = size - len(old), skipped + len(old), newlines + old.count(b"\n")
    else:
        gaps = (Gap(path, "timeout"),)
    if kept and b"\x00" in kept[0][:_SAMPLE_BYTES]:
        return RawLog(path, [], gaps=(Gap(path, "unreadable"),))
    raw = _split(b"".join(kept), path, newlines + 1, skipped)
    return RawLog(path, raw.lines, raw.first, skipped, raw.replaced, raw.cut, gaps)


def _chunks(opener: _Opener, file: Path) -> Iterator[bytes]:
    if opener is gzip.GzipFile:
        yield from _gunzip(file)
        return
    with opener(file) as packed:
        while chunk := packed.read(_CHUNK_BYTES):
            yield chunk


def _gunzip(file: Path) -> Iterator[bytes]:
    """All that can be unpacked before the damage: the library's own reader gives nothing of a block that is cut off."""
    with file.open("rb") as packed:
        unpacker, rest = zlib.decompressobj(wbits=31), b""
        while raw := rest or packed.read(_CHUNK_BYTES // 16):
            if unpacker.eof:  # another member follows
                unpacker = zlib.decompressobj(wbits=31)
            chunk = unpacker.decompress(raw, _CHUNK_BYTES)
            rest = unpacker.unconsumed_tail or unpacker.unused_data
            if chunk:
                yield chunk
        if not unpacker.eof:
            raise EOFError("the file is cut off")


def _split(data: bytes, path: str, first: int, skipped: int) -> RawLog:
    r"""Only \n ends a line: form feeds and Unicode separators inside a line would shift every number after them."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if skipped and len(lines) > 1:  # a line longer than all that may be kept still says more than nothing
        lines.pop(0)  # its beginning was not kept
        first += 1 if first else 0
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    cut = sum(len(line) > MAX_LINE_CHARS for line in lines)
    if cut:
        lines = [line[:MAX_LINE_CHARS] for line in lines]
    return RawLog(path, lines, first, skipped, text.count("\ufffd"), cut)
