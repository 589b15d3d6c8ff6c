"""Reading JSON objects that clients sent: each value is checked for its type, each error names its path.

`null` and absent mean the same, as they do to the API.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wafer_backend.wire import errors

KINDS: Mapping[str, tuple[type, ...]] = {
    "a string": (str,),
    "a boolean": (bool,),
    "an integer": (int,),
    "a number": (int, float),
    "an array": (list,),
    "an object": (dict,),
}


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object and where it stands in the request, e.g. `tools[0].function`; the body itself is ""."""

    values: dict[str, Any]
    path: str = ""

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def get(self, name: str, kind: str) -> Any:
        """The value, or None where there is none; refused unless it is of `kind`, one of `KINDS`."""
        value = self.values.get(name)
        if value is not None and not is_kind(value, kind):
            raise errors.wrong_type(self.at(name), kind, value)
        return value

    def text(self, name: str) -> str | None:
        """A string."""
        value: str | None = self.get(name, "a string")
        return value

    def need_text(self, name: str) -> str:
        """A string that must be there."""
        value = self.text(name)
        if value is None:
            raise errors.missing(self.at(name))
        return value

    def word(self, name: str, known: Collection[str]) -> str | None:
        """A string that must be one of the `known`."""
        value = self.text(name)
        if value is not None and value not in known:
            raise errors.unknown_value(self.at(name), value, known)
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """A boolean."""
        value: bool | None = self.get(name, "a boolean")
        return default if value is None else value

    def count(self, name: str) -> int | None:
        """A positive integer."""
        value: int | None = self.get(name, "an integer")
        if value is not None and value < 1:
            message = f"Invalid '{self.at(name)}': integer below minimum value. Expected a value >= 1."
            raise errors.invalid(message, self.at(name), "integer_below_min_value")
        return value

    def inner(self, name: str) -> "Fields | None":
        """An object, read the same way."""
        value = self.get(name, "an object")
        return None if value is None else Fields(value, self.at(name))

    def need_inner(self, name: str) -> "Fields":
        """An object that must be there."""
        value = self.inner(name)
        if value is None:
            raise errors.missing(self.at(name))
        return value

    def each(self, name: str) -> "Iterator[Fields]":
        """The objects of an array; none where there is no array."""
        for index, value in enumerate(self.get(name, "an array") or ()):
            path = f"{self.at(name)}[{index}]"
            if not isinstance(value, dict):
                raise errors.wrong_type(path, "an object", value)
            yield Fields(value, path)


def is_kind(value: object, kind: str) -> bool:
    """Whether a parsed value is of a kind. A boolean is no number, although Python says so."""
    return isinstance(value, KINDS[kind]) and (kind == "a boolean" or not isinstance(value, bool))


@dataclass(frozen=True, slots=True)
class Surface:
    """What an endpoint does with its parameters: nothing may be ignored that would have changed the answer."""

    read: frozenset[str]  # honoured
    harmless: Mapping[str, str]  # accepted without effect on the answer, by kind
    neutral: Mapping[str, tuple[Any, ...]]  # not emulated: only values that ask for nothing, e.g. n = 1

    def screen(self, body: Fields) -> None:
        """Refuse what is unknown, of the wrong type, or not emulated."""
        for name, value in body.values.items():
            if value is None or name in self.read:
                continue
            if name in self.harmless:
                body.get(name, self.harmless[name])
            elif name not in self.neutral:
                raise errors.unknown(name)
            elif value not in self.neutral[name]:
                raise errors.unsupported(name)
