"""Lenient reading of a payload: what does not fit is noted and read as absent, so that one bad field drops nothing."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from fastagent.alerts.alert import Status
from fastagent.alerts.times import iso
from fastagent.alerts.words import SEVERITY_OF, STATUS_OF
from fastagent.state import Severity

MAX_TITLE_CHARS = 300
MAX_TEXT_CHARS = 2_000
MAX_NAME_CHARS = 200
MAX_LABELS = 100
MAX_NOTES = 20
MAX_NOTE_CHARS = 400
_NO_IDENTITY = ("", "unknown", "none", "null", "n/a", "undefined", "-")
_MISSING: Any = object()


class Fields:
    """One JSON object of a payload. Names may be dotted paths; of several names the first that is filled counts."""

    def __init__(self, value: Any, notes: list[str] | None = None, where: str = "") -> None:
        self.notes: list[str] = [] if notes is None else notes
        self._where = where
        self._values: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        if not isinstance(value, Mapping) and value not in (None, _MISSING):
            self.note(where or "payload", f"expected an object, found {_kind(value)}")

    def note(self, name: str, problem: str) -> None:
        """Remember what is wrong with a field."""
        text = clipped(f"{clipped(name, MAX_NAME_CHARS)}: {problem}", MAX_NOTE_CHARS)
        if len(self.notes) < MAX_NOTES and text not in self.notes:
            self.notes.append(text)

    def has(self, *names: str) -> bool:
        """Whether all of these are there, whatever they hold."""
        return all(self._find(name) is not _MISSING for name in names)

    def sub(self, name: str) -> "Fields":
        """An object inside this one, empty where it is missing or something else. Its notes land here."""
        return Fields(self._find(name), self.notes, self._where + name)

    def text(self, *names: str, most: int = MAX_TEXT_CHARS) -> str:
        """Text; numbers and booleans are written out."""
        for name, value in self._filled(names):
            if isinstance(value, str | int | float):
                if said := clipped(_scalar(value), most):
                    return said
            else:
                self.note(self._where + name, f"expected text, found {_kind(value)}")
        return ""

    def line(self, *names: str) -> str:
        """Text on one line, short enough for a title."""
        return " ".join(self.text(*names).split())[:MAX_TITLE_CHARS]

    def identity(self, *names: str) -> str:
        """What tells this one from others; "" where it is a placeholder that tells nothing."""
        said = self.text(*names, most=MAX_NAME_CHARS).strip()
        return "" if said.lower() in _NO_IDENTITY or said.startswith("$") else said

    def time(self, *names: str) -> str | None:
        """A point in time, ISO 8601 in UTC."""
        for name, value in self._filled(names):
            try:
                if found := iso(value):
                    return found
            except ValueError as error:
                self.note(self._where + name, f"{error}: {clipped(repr(value), 60)}")
        return None

    def url(self, *names: str) -> str | None:
        """An http(s) address."""
        for name, value in self._filled(names):
            if value == "":
                continue
            if isinstance(value, str) and _is_url(value):
                return clipped(value, MAX_TEXT_CHARS)
            self.note(self._where + name, f"not a web address: {clipped(repr(value), 60)}")
        return None

    def severity(self, *names: str) -> Severity:
        """How bad it is; "error" where the sender does not say."""
        word = self.text(*names, most=MAX_NAME_CHARS).strip().lower()
        if word and word not in SEVERITY_OF:
            self.note(self._where + names[0], f"unknown severity {clipped(word, 60)!r}")
        return SEVERITY_OF.get(word, "error")

    def status(self, *names: str) -> Status:
        """Whether it is over; firing where the sender does not say."""
        word = self.text(*names, most=MAX_NAME_CHARS).strip().lower()
        if word and word not in STATUS_OF:
            self.note(self._where + names[0], f"unknown status {clipped(word, 60)!r}")
        return STATUS_OF.get(word, "firing")

    def labels(self, name: str) -> dict[str, str]:
        """Names and values: an object, "a:b,c:d", or a list of pairs, of such texts or of {key/name, value}."""
        value = self._find(name)
        if value in (_MISSING, None, ""):
            return {}
        found: dict[str, str] = {}
        for key, said in self._pairs(name, value):
            if isinstance(said, str | int | float):
                found.setdefault(clipped(key, MAX_NAME_CHARS), clipped(_scalar(said), MAX_TEXT_CHARS))
            elif said is not None:
                self.note(f"{self._where}{name}.{key}", f"expected text, found {_kind(said)}")
            if len(found) == MAX_LABELS:
                self.note(self._where + name, f"only the first {MAX_LABELS} were read")
                break
        return found

    def items(self, name: str) -> list[Any]:
        """The elements of a list."""
        value = self._find(name)
        if isinstance(value, list):
            return value
        if value not in (_MISSING, None):
            self.note(self._where + name, f"expected a list, found {_kind(value)}")
        return []

    def _find(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        head, _, rest = name.partition(".")
        inner = self._values.get(head)
        return Fields(inner)._find(rest) if rest and isinstance(inner, Mapping) else _MISSING  # noqa: SLF001

    def _filled(self, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        nulls = []
        for name in names:
            value = self._find(name)
            if value is None:
                nulls.append(name)
            elif value is not _MISSING:
                yield name, value
        for name in nulls:  # reached only where none of the others would do
            self.note(self._where + name, "null")

    def _pairs(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Mapping):
            yield from ((str(k), v) for k, v in value.items())
            return
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list):
            self.note(self._where + name, f"expected an object, found {_kind(value)}")
            return
        for item in items:
            if pair := _pair(item):
                yield pair
            else:
                self.note(self._where + name, f"no name and value: {clipped(repr(item), 60)}")


def _pair(item: Any) -> tuple[str, Any] | None:
    if isinstance(item, str):
        key, _, said = item.strip().partition(":")
        return (key, said) if key else None
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
        return item[0], item[1]
    if isinstance(item, Mapping):
        name = item.get("key") or item.get("name") or item.get("Name")
        return (name, item.get("value", item.get("Value"))) if isinstance(name, str) else None
    return None


def clipped(text: str, most: int) -> str:
    """Text that any encoder takes, at most so many characters."""
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def _scalar(value: str | float) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _kind(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
