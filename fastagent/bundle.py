"""An incident's evidence on disk: a directory, an archive of one, or log files named one by one. All is optional.

Paths handed to tools are relative and stay below the root; whatever cannot be read becomes a `Gap`, never an exception
in the middle of a run. (DESIGN: the parts of a bundle are listed in docs/bundles.md.)
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import orjson
from pydantic import ValidationError

from fastagent.alerts import Alert, filled, parse
from fastagent.archive import Folder, is_archive, unpack
from fastagent.errors import InputError
from fastagent.state import Gap, Incident, from_json

MAX_JSON_BYTES = 64 * 1024 * 1024  # a larger JSON part is left to the text tools
MAX_COMMAND_BYTES = 32 * 1024 * 1024  # of one recorded output
MAX_FILES = 50_000  # inventoried; a folder with more is told to be larger
UNTITLED = "Incident recorded in"
_PART_OF_FOLDER = {
    "logs": "log", "metrics": "metrics", "traces": "traces", "changes": "changes",
    "cloud": "cloud", "alerts": "alert", "commands": "command",
}  # fmt: skip
REFERENCE = ("normal", "baseline", "reference")  # how files of a time without trouble are called
_PART_OF_NAME = {"incident.json": "incident", "commands.json": "commands", "topology.json": "topology"}


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a bundle: its path below the root, what part it is, its size."""

    path: str
    part: str  # log, metrics, traces, changes, cloud, alert, command, commands, topology, incident, other
    size_bytes: int
    reference: bool = False  # recorded while all was well: what the rest is held against


@dataclass(frozen=True, slots=True)
class Bundle:
    """Recorded evidence. `Bundle.open` reads a directory, a zip or a tar, `Bundle.of_logs` files of logs.

    A bundle from an archive lives in a temporary folder until it is closed or forgotten.
    """

    root: Path
    files: tuple[BundleFile, ...]
    incident: Incident
    commands: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    located: Mapping[str, Path] = field(default_factory=dict)  # display path -> file, for logs named one by one
    folder: Folder | None = None  # the temporary folder of an archive

    @classmethod
    def open(
        cls, path: str | Path, alerts: Sequence[Alert] = (), has_time: Callable[[], bool] = lambda: True
    ) -> "Bundle":
        """Read a bundle: a directory, a zip or a tar. Raises `InputError` where there is none to read.

        `alerts` are further ones that are not in it. An archive is unpacked while `has_time` says so.
        """
        root = Path(path)
        if not _there(root):
            raise InputError(
                f"{path}: no such bundle; give the path of a directory with logs/, commands.json, incident.json …"
            )
        if root.is_dir():
            return cls._read(root, alerts)
        if not root.is_file() or not is_archive(root):
            raise InputError(
                f"{path}: neither a directory nor a zip or tar of one (for a log file use `fastagent triage {path}`)"
            )
        unpacked = unpack(root, has_time)
        found = cls._read(unpacked.root, alerts)
        title = found.incident.title if found.has_title else f"{UNTITLED} {root.name}"
        incident = replace(found.incident, title=title, bundle=str(root))
        return replace(found, incident=incident, gaps=(*unpacked.gaps, *found.gaps), folder=unpacked.folder)

    @classmethod
    def _read(cls, root: Path, alerts: Sequence[Alert]) -> "Bundle":
        files, gaps = _inventory(root)
        incident, problems = _read_incident(root, files, alerts)
        commands, command_problems = _read_commands(root, files)
        return cls(root, files, incident, commands, (*gaps, *problems, *command_problems))

    @classmethod
    def of_logs(cls, paths: Sequence[str | Path], baseline: Sequence[str | Path] = ()) -> "Bundle":
        """A bundle of log files; directories are walked. `baseline` are logs of a good time to hold them against.

        Raises `InputError` for a path that does not exist.
        """
        located = _located(paths)
        good = {name: file for name, file in _located(baseline).items() if name not in located}
        files = tuple(
            BundleFile(name, "log", file.stat().st_size, reference=name in good)
            for name, file in [*located.items(), *good.items()]
        )
        title = f"Triage of {files[0].path}" + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        return cls(Path(), files, Incident(title), located=located | good)

    @property
    def has_title(self) -> bool:
        """Whether the evidence names the incident itself."""
        return not self.incident.title.startswith(UNTITLED)

    def close(self) -> None:
        """Remove the temporary folder of an archive; a bundle of a directory has none."""
        if self.folder is not None:
            self.folder.close()

    def of_part(self, part: str) -> tuple[BundleFile, ...]:
        """The files of one part, by path."""
        return tuple(f for f in self.files if f.part == part)

    def locate(self, path: str) -> Path:
        """The file behind a path of the inventory. Raises `InputError` for any other path, `..` included."""
        if path in self.located:
            return self.located[path]
        if any(f.path == path for f in self.files):
            return self.root / path
        raise InputError(f"{path!r} is not a file of this bundle")

    def service_of(self, path: str) -> str:
        """Whose file this is: the folder below logs/, else the stem without a rotation suffix."""
        parts = PurePosixPath(path).parts
        if len(parts) > 2 and parts[0] in _PART_OF_FOLDER:
            return parts[1]
        return parts[-1].split(".")[0]

    def joined(self, other: "Bundle") -> "Bundle":
        """The same incident with the other's files beside its own; where both have a path, its own counts."""
        own = {f.path for f in self.files}
        more = tuple(f for f in other.files if f.path not in own and f.part != "incident")
        located = {**self.located, **{f.path: other.locate(f.path) for f in more}}
        return replace(self, files=(*self.files, *more), located=located, gaps=(*self.gaps, *other.gaps))

    def only(self, wanted: Callable[[BundleFile], bool]) -> "Bundle":
        """The same incident with only some of its files."""
        return replace(self, files=tuple(f for f in self.files if wanted(f)))

    def with_incident(self, **changes: Any) -> "Bundle":
        """The same evidence under another incident's words."""
        return replace(self, incident=replace(self.incident, **changes))


def _there(path: Path) -> bool:
    """Whether there is something to read. Raises `InputError` where one may not even look."""
    try:
        return path.exists()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _located(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Display path -> file, for files named one by one and for all below a directory."""
    located: dict[str, Path] = {}
    for given in map(Path, paths):
        if not _there(given):
            raise InputError(f"{given}: no such file or directory")
        for file in [given] if not given.is_dir() else _walk(given):
            located.setdefault(_display(file), file)
    if paths and not located:
        raise InputError(f"{', '.join(map(str, paths))}: no files there")
    return located


def _display(file: Path) -> str:
    """A path as a reader would name it: relative to where they stand if it is below, else as given."""
    try:
        return _shown(file.resolve().relative_to(Path.cwd()).as_posix())
    except (ValueError, OSError):
        return _shown(file.as_posix())


def _shown(path: str) -> str:
    """A path that can be written anywhere: names are bytes to the system, and need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")


def _walk(root: Path) -> Iterator[Path]:
    """Regular files below `root`, sorted; links that leave it, devices and pipes are passed over."""
    top = root.resolve()
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file() and (not file.is_symlink() or top in file.resolve().parents):
                yield file


def _inventory(root: Path) -> tuple[tuple[BundleFile, ...], tuple[Gap, ...]]:
    files: list[BundleFile] = []
    gaps: list[Gap] = []
    for file in _walk(root):
        if len(files) >= MAX_FILES:
            gaps.append(Gap(f"files after {files[-1].path} (more than {MAX_FILES:,})", "too_large"))
            break
        path = file.relative_to(root).as_posix()
        if _shown(path) != path:
            gaps.append(Gap(f"{_shown(path)}: a name that is not UTF-8", "unreadable"))
            continue
        try:
            reference = file.name.lower().startswith(REFERENCE)
            files.append(BundleFile(path, _part(path), file.stat().st_size, reference))
        except OSError:
            gaps.append(Gap(path, "unreadable"))
    return tuple(files), tuple(gaps)


def _part(path: str) -> str:
    parts = PurePosixPath(path).parts
    if len(parts) > 1:
        return _PART_OF_FOLDER.get(parts[0], "other")
    name = parts[0]
    if name in _PART_OF_NAME:
        return _PART_OF_NAME[name]
    if name.startswith("alert") and name.endswith(".json"):
        return "alert"
    if "status" in name and name.endswith(".json"):  # a copy of somebody's status page
        return "cloud"
    return "log" if name.endswith((".log", ".log.gz", ".out", ".err")) else "other"


def _read_json(root: Path, path: str, size_bytes: int) -> tuple[Any, tuple[Gap, ...]]:
    """A JSON part, or nothing and the reason."""
    if size_bytes > MAX_JSON_BYTES:
        return None, (Gap(path, "too_large"),)
    try:
        return orjson.loads((root / path).read_bytes()), ()
    except (OSError, ValueError):
        return None, (Gap(path, "unreadable"),)


def _read_incident(
    root: Path, files: Sequence[BundleFile], further: Sequence[Alert]
) -> tuple[Incident, tuple[Gap, ...]]:
    value: Any = {}
    gaps: tuple[Gap, ...] = ()
    alerts = list(further)
    for file in files:
        if file.part == "incident":
            value, found = _read_json(root, file.path, file.size_bytes)
            gaps += found
        elif file.part == "alert":
            alert, found = _read_json(root, file.path, file.size_bytes)
            gaps += found
            alerts += [] if found else parse(alert)
    if not isinstance(value, dict) and value is not None:
        gaps += (Gap("incident.json: no object of fields", "unreadable"),)
    try:
        incident = from_json(Incident, {"title": "", **(value if isinstance(value, dict) else {})})
    except ValidationError as error:
        incident, gaps = _salvage(value), (*gaps, Gap(f"incident.json: {_fields(error)}", "unreadable"))
    incident = filled(incident, alerts)
    title = incident.title or f"{UNTITLED} {root.resolve().name}"
    return replace(incident, title=title, bundle=str(root)), gaps


def _salvage(value: Mapping[str, Any]) -> Incident:
    """Keep each field that fits by itself: one bad field never drops the rest."""
    kept: dict[str, Any] = {"title": ""}
    for name, part in value.items():
        try:
            from_json(Incident, {**kept, name: part})
        except ValidationError:
            continue
        kept[name] = part
    return from_json(Incident, kept)


def _fields(error: ValidationError) -> str:
    return ", ".join(sorted({str(e["loc"][0]) for e in error.errors() if e["loc"]}))


def _text(value: Any) -> str | None:
    """An output as text; None for what is nested beyond reason."""
    try:
        return value if isinstance(value, str) else orjson.dumps(value).decode()
    except TypeError:
        return None


def _read_commands(root: Path, files: Sequence[BundleFile]) -> tuple[dict[str, str], tuple[Gap, ...]]:
    outputs: dict[str, str] = {}
    gaps: tuple[Gap, ...] = ()
    for file in files:
        if file.part == "commands":
            value, found = _read_json(root, file.path, file.size_bytes)
            gaps += found
            if isinstance(value, dict):
                outputs |= {k: text for k, v in value.items() if (text := _text(v)) is not None}
                gaps += tuple(Gap(f"{file.path}: {k[:80]}", "unreadable") for k, v in value.items() if _text(v) is None)
            elif not found:
                gaps += (Gap(file.path, "unreadable"),)
        elif file.part == "command":
            if file.size_bytes > MAX_COMMAND_BYTES:
                gaps += (Gap(file.path, "too_large"),)
                continue
            try:
                outputs[file.path] = (root / file.path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                gaps += (Gap(file.path, "unreadable"),)
    return outputs, gaps
