"""All logs of a run, read and parsed once and shared by the tools that look at them.

Files are read in blocks, the newest block of each file first, until the reading's share of the time is gone; what was
not reached is said.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock

from fastagent.bundle import Bundle
from fastagent.state import Gap
from fastagent.toolbox import Scope
from fastagent_tools.logs.events import Event, Joiner
from fastagent_tools.logs.layout import Layout, detect
from fastagent_tools.logs.templates import Masker
from fastagent_tools.text.intake import RawLog, read_log
from fastagent_tools.text.naming import Names
from fastagent_tools.text.times import Clock

MAX_BYTES = 96 * 1024 * 1024  # of all logs together, unpacked: what pure Python can parse before anybody's deadline
BYTES_PER_S = 8 * 1024 * 1024  # more than pure Python parses in a second: reading beyond it would be for nothing
MIN_BYTES = 256 * 1024
BLOCK_LINES = 4_000
TIME_SHARE = 0.4  # of what is left when reading begins: grouping and ranking then take as long again
_MAX_FILES = 2_000


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file of logs. `lines[0]` is line `first` of the file (0 = nobody knows); parsed is `lines[parsed_from:]`."""

    path: str
    service: str
    layout: Layout
    lines: Sequence[str]
    first: int
    parsed_from: int
    unparsed: int
    reference: bool = False  # of a good time: what the others are held against

    def number(self, line: int) -> int | None:
        """A line's number for citing, or nothing where counting was not possible."""
        return line if self.first else None

    def raw(self, line: int) -> str:
        """The line as it stands in the file."""
        index = line - self.first
        return self.lines[index] if 0 <= index < len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The logs of one run. `events` are in the order of files and lines."""

    files: tuple[LogFile, ...] = ()
    events: tuple[Event, ...] = ()
    gaps: tuple[Gap, ...] = ()
    left_out: tuple[str, ...] = ()
    masker: Masker = field(default_factory=Masker)

    @property
    def lines(self) -> int:
        """Lines that were read and parsed, all files together."""
        return sum(len(f.lines) - f.parsed_from for f in self.files)


class _Once:
    """A value that many threads ask for and one computes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._corpus: Corpus | None = None

    def get(self, load: Callable[[], Corpus]) -> Corpus:
        with self._lock:
            if self._corpus is None:
                self._corpus = load()
            return self._corpus


def corpus_of(scope: Scope) -> Corpus:
    """The parsed logs of this run; the first caller pays."""
    once: _Once = scope.memo.setdefault("logs", _Once())
    return once.get(lambda: _load(scope))


def corpus_of_text(name: str, text: str, service: str, started_at: str | None) -> Corpus:
    """The corpus of one text that is not a file, such as a command's output."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    parsing = _Parsing(0, RawLog(name, lines), service, _year(started_at))
    _parse_newest_first([parsing], lambda: True)
    return Corpus((parsing.file(),), tuple(parsing.events()))


def _load(scope: Scope) -> Corpus:
    if scope.bundle is None:
        return Corpus()
    left_s = scope.left_s()
    stop_at_s = left_s * (1 - TIME_SHARE)
    room = int(min(MAX_BYTES, max(MIN_BYTES, left_s * TIME_SHARE * BYTES_PER_S)))
    files = scope.bundle.of_part("log")
    paths = [f.path for f in files[:_MAX_FILES]]
    raws = _read_all(scope.bundle, paths, room, lambda: scope.left_s() > stop_at_s)
    left_out = [f"{len(files) - _MAX_FILES} of {len(files)} log files"] if len(files) > _MAX_FILES else []
    year = _year(scope.incident.started_at)
    good = {f.path for f in files if f.reference}
    names = Names(scope.incident.services)
    parsing = [
        _Parsing(index, raw, scope.bundle.service_of(raw.path), year, names, reference=raw.path in good)
        for index, raw in enumerate(raws)
    ]
    _parse_newest_first(parsing, lambda: scope.left_s() > stop_at_s)
    return Corpus(
        tuple(p.file() for p in parsing),
        tuple(event for p in parsing for event in p.events()),
        tuple(gap for raw in raws for gap in raw.gaps) + _timeouts(parsing),
        (*left_out, *_notes(raws, parsing)),
    )


def _read_all(bundle: Bundle, paths: Sequence[str], room: int, has_time: Callable[[], bool]) -> list[RawLog]:
    """Every file, the later ones only while there is time; each may use an equal share of what is left of `room`."""
    raws = []
    for index, path in enumerate(paths):
        if not has_time():
            raws.append(RawLog(path, [], gaps=(Gap(path, "timeout"),)))
            continue
        share = max(room // (len(paths) - index), 64 * 1024)
        raw = read_log(bundle.locate(path), path, share, has_time)
        room -= sum(map(len, raw.lines)) if raw.lines else 0
        raws.append(raw)
    return raws


@dataclass(slots=True)
class _Parsing:
    """A file while it is parsed from its end to its beginning."""

    index: int
    raw: RawLog
    service: str
    year: int
    names: Names = field(default_factory=lambda: Names(()))
    reference: bool = False
    blocks: list[list[Event]] = field(default_factory=list)  # newest first
    upto: int = 0
    layout: Layout = field(init=False)
    joiner: Joiner = field(init=False)

    def __post_init__(self) -> None:
        self.upto = len(self.raw.lines)
        self.layout = detect(self.raw.lines)
        headed = self.layout.name not in ("plain", "github-actions", "taskcluster", "compose", "kubectl-prefix", "cri")
        self.joiner = Joiner(self.index, self.service, self.layout.read, Clock(self.year), headed, self.names.canonical)

    def step(self) -> None:
        """Parse the block before those that are parsed already."""
        start = self._boundary(max(0, self.upto - BLOCK_LINES))
        self.blocks.append(self.joiner.join(self.raw.lines[start : self.upto], self.raw.first + start))
        self.upto = start

    def _boundary(self, start: int) -> int:
        """A line at or a little before `start` that begins an event, so that none is cut in two."""
        for index in range(start, max(0, start - 60), -1):
            line = self.raw.lines[index]
            if line and not line[0].isspace() and self.layout.read(line).head:
                return index
        return start

    def events(self) -> Iterable[Event]:
        """All events so far, oldest first."""
        return (event for block in reversed(self.blocks) for event in block)

    def file(self) -> LogFile:
        """What is known of the file when parsing ends."""
        raw = self.raw
        return LogFile(
            raw.path, self.service, self.layout, raw.lines, raw.first, self.upto, self.joiner.unparsed, self.reference
        )


def _parse_newest_first(parsing: Sequence[_Parsing], has_time: Callable[[], bool]) -> None:
    """A block of each file in turn. Good times go first: without them nothing tells what is new."""
    waiting = sorted((p for p in parsing if p.upto), key=lambda p: not p.reference)
    asked_for = [p for p in waiting if not p.reference] or waiting
    while waiting:
        for p in waiting:
            if not has_time() and any(p.blocks for p in asked_for):  # the newest block at least: some answer beats none
                return
            p.step()
        waiting = [p for p in waiting if p.upto]


def _timeouts(parsing: Sequence[_Parsing]) -> tuple[Gap, ...]:
    unread = [Gap(p.raw.path, "timeout") for p in parsing if p.upto and p.upto == len(p.raw.lines)]
    older = [Gap(f"{p.raw.path}: its older part", "timeout") for p in parsing if 0 < p.upto < len(p.raw.lines)]
    skipped = [Gap(f"{p.raw.path}: its older part", "too_large") for p in parsing if p.raw.skipped_bytes]
    empty = [Gap(f"{p.raw.path}: nothing in it", "absent") for p in parsing if not p.raw.lines and not p.raw.gaps]
    return (*unread, *older, *skipped, *empty)


def _notes(raws: Sequence[RawLog], parsing: Sequence[_Parsing]) -> list[str]:
    notes = [
        f"{raw.path}: the first {raw.skipped_bytes:,} bytes (older; the newest part was read)"
        for raw in raws
        if raw.skipped_bytes
    ]
    notes += [f"{p.raw.path}: lines before {p.raw.first + p.upto} (older; no time)" for p in parsing if p.upto]
    notes += [f"{raw.path}: {raw.cut} lines were cut at 64 KiB" for raw in raws if raw.cut]
    notes += [f"{raw.path}: {raw.replaced} characters were not UTF-8" for raw in raws if raw.replaced]
    return notes


def _year(started_at: str | None) -> int:
    """For stamps without a year: the incident's own."""
    stamp = Clock(1970).read(started_at) if started_at else None
    return datetime.fromtimestamp(stamp.at_s, UTC).year if stamp else datetime.now(UTC).year
