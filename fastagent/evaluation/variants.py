"""Changed copies of a bundle: with its names exchanged, or without the sources that an earlier answer cited.

An agent that knows names by heart answers otherwise under other names; one that rests on its evidence is less sure
without it. Copies are made file by file, bytes that are no text stay as they are.
"""

import gzip
import json
import re
import shutil
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

MAX_BYTES = 64 * 1024 * 1024  # of a file that is changed; a larger one is copied
LEAST_NAME_CHARS = 3
MADE_UP = ("meadow-lantern", "harbor-meadow")  # no digits: those would read as a pod's number or hash
_OF_ONE_OBJECT = re.compile(r"\d{2}|\.")
Edit = Callable[[str], str]


def exchanged(names: Iterable[str]) -> dict[str, str]:
    """Each service's name with the next one's; a single name gets one that is made up.

    Names of pods and machines stay: they say of what kind they are, and a pod's begins with its service's.
    """
    given = {n for n in names if len(n) >= LEAST_NAME_CHARS and not _OF_ONE_OBJECT.search(n)}
    known = sorted(n for n in given if not any(n.startswith(f"{o}-") and re.search(r"\d", n[len(o) :]) for o in given))
    if len(known) == 1:
        return {known[0]: MADE_UP[0] if known[0] != MADE_UP[0] else MADE_UP[1]}
    return dict(zip(known, [*known[1:], *known[:1]], strict=True))


def renamer(mapping: Mapping[str, str]) -> Edit:
    """Puts new names for whole old ones, longest first; what follows behind a hyphen (a pod's hash) stays."""
    if not mapping:
        return str
    longest = sorted(mapping, key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(map(re.escape, longest))})(?![A-Za-z0-9_])")
    return lambda text: pattern.sub(lambda m: mapping[m[0]], text)


def relabelled(bundle: Path, to: Path, mapping: Mapping[str, str]) -> None:
    """A copy in which the names are exchanged, in file names as well."""
    rename = renamer(mapping)
    _copy(bundle, to, rename, lambda _: rename)


def uncited(bundle: Path, to: Path, evidence: Sequence[Mapping[str, Any]]) -> None:
    """A copy without the files and the outputs of commands that were cited.

    Whole sources, since one line seldom stands alone: the next scrape and the next request say the same again.
    """
    sources = [item.get("source") or {} for item in evidence]
    files = {str(s["file"]) for s in sources if s.get("file")} - {"commands.json"}
    commands = {str(s["command"]) for s in sources if s.get("command")}
    _copy(bundle, to, lambda path: "" if path in files else path, lambda path: _without(commands, path))


def _without(commands: Container[str], path: str) -> Edit:
    """Takes recorded commands out of the file that holds them; one that is no object of outputs is left alone."""

    def edit(text: str) -> str:
        try:
            recorded = json.loads(text)
        except ValueError:
            return text
        kept = (
            {c: output for c, output in recorded.items() if c not in commands} if isinstance(recorded, dict) else None
        )
        return text if kept is None else json.dumps(kept)

    return edit if path == "commands.json" else str


def _copy(bundle: Path, to: Path, name: Edit, edit_of: Callable[[str], Edit]) -> None:
    """Every file under its new name, edited; one whose new name is empty is left out."""
    to.mkdir(parents=True, exist_ok=True)
    for file in sorted(p for p in bundle.rglob("*") if p.is_file()):
        path = file.relative_to(bundle).as_posix()
        if not name(path):
            continue
        target = to / name(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.stat().st_size > MAX_BYTES:
            shutil.copyfile(file, target)
        else:
            target.write_bytes(_edited(file.read_bytes(), edit_of(path)))


def _edited(raw: bytes, edit: Edit) -> bytes:
    """The bytes with their text edited, packed again where they were."""
    if raw[:2] == b"\x1f\x8b":
        try:
            return gzip.compress(_edited(gzip.decompress(raw), edit), mtime=0)
        except (OSError, EOFError):
            return raw
    # Surrogates keep bytes that are no UTF-8 as they are.
    return edit(raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
