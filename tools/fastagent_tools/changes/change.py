"""Commits, deploys and flags of a bundle as plain values, whatever their fields are called."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from fastagent.state import Gap, Source
from fastagent.toolbox import Scope
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock

Kind = Literal["commit", "deploy", "flag"]
MAX_BYTES = 32 * 1024 * 1024
_ID = ("sha", "commit", "commit_sha", "hash", "id", "revision", "flag", "name", "key")
_TIME = ("timestamp", "time", "date", "deployed_at", "committed_at", "author_date", "created_at", "changed_at", "at")
_SERVICE = ("service", "app", "component", "project", "deployment", "application", "target")
_TEXT = ("message", "title", "subject", "summary", "change", "description", "version", "notes")
_FILES = ("files_changed", "files", "paths", "changed_files")
_DIFF = ("diff", "patch")


@dataclass(frozen=True, slots=True)
class Change:
    """One change."""

    kind: Kind
    id: str  # sha, flag name, version
    at_s: float | None  # since the epoch: when it was made, or (releases) when it took effect
    service: str
    text: str
    files: tuple[str, ...]
    diff: str
    quote: str  # verbatim, from the file
    source: Source
    commit: str = ""  # of a deploy, what it brought
    deployed: bool = False  # of a commit, whether a deploy is known to have brought it


def changes_of(scope: Scope) -> tuple[list[Change], tuple[Gap, ...]]:
    """Every change below changes/, and what could not be read there."""
    found: list[Change] = []
    gaps: list[Gap] = []
    for file in scope.bundle.of_part("changes") if scope.bundle else ():
        if not file.path.endswith(".json"):
            continue
        try:
            raw = scope.bundle.locate(file.path).read_bytes()[:MAX_BYTES]  # type: ignore[union-attr]
            value = orjson.loads(raw)
        except (OSError, ValueError):
            gaps.append(Gap(file.path, "unreadable"))
            continue
        sheet = Sheet(file.path, raw.decode("utf-8", "replace").splitlines())
        told = [c for entry in _entries(value) if (c := _change(entry, _kind(file.path, entry), sheet))]
        found += told
        if value and not told:
            gaps.append(Gap(f"{file.path}: no changes in it", "unreadable"))
    return found, tuple(gaps)


def _entries(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        inner = next((v for v in value.values() if isinstance(v, list)), None)
        value = [value] if inner is None else inner
    yield from (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else ()


def _kind(path: str, entry: Mapping[str, Any]) -> Kind:
    name = path.rsplit("/", 1)[-1].lower()
    if "flag" in entry or "flag" in name or "toggle" in name:
        return "flag"
    return "deploy" if "deploy" in name or "release" in name or "rollout" in name or "commit_sha" in entry else "commit"


def _change(entry: Mapping[str, Any], kind: Kind, sheet: Sheet) -> Change | None:
    ident = _first(entry, _ID)
    if not ident:
        return None
    stamp = Clock(1970).read(_first(entry, _TIME))
    files: list[Any] = next((entry[k] for k in _FILES if isinstance(entry.get(k), list)), [])
    row = next((i for i, line in enumerate(sheet.lines) if ident in line), 0)
    return Change(
        kind,
        ident,
        stamp.at_s if stamp else None,
        _first(entry, _SERVICE),
        " ".join(filter(None, (str(entry.get(k) or "") for k in _TEXT))),
        tuple(str(f.get("path", f)) if isinstance(f, dict) else str(f) for f in files),
        _first(entry, _DIFF),
        _quote(entry, ident, sheet),
        Source(file=sheet.path, line=row + 1),
        commit=_first(entry, ("commit_sha", "commit", "sha")) if kind == "deploy" else "",
    )


def _quote(entry: Mapping[str, Any], ident: str, sheet: Sheet) -> str:
    """What it says of itself, if that stands in one line of the file; else its id."""
    text = next((str(entry[k]) for k in _TEXT if entry.get(k)), "")
    return text if len(text) > 5 and any(text in line for line in sheet.lines) else ident


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(entry[n]) for n in names if entry.get(n) not in (None, "", [], {})), "")


_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
_COMMON = frozenset(
    word
    for line in (
        "the and for with from not into this that was were has have are but its new add fix use error errors func",
        "return null none true false self public private const let var def class import string int float bool void",
        "async await service server client request response http https api get set data value name type file line",
        "code test main package internal pkg src lib app config above below rate ratio high low",
    )
    for word in line.split()
)


def words(text: str) -> set[str]:
    """The telling words of a text, camelCase and snake_case taken apart, plural and tense ignored."""
    return {w.removesuffix("s") for m in _WORD.findall(text) if (w := m.lower()) not in _COMMON}
