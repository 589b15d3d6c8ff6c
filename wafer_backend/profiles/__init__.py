"""Hardware and models as data: one TOML a machine or model, each number with its unit, its basis and its source.

A figure is `name = { value = 1.0, basis = "published", source = "where it is printed" }`. The last word of its name is
its unit. `basis` says how far to trust it: "published" by its maker or operator, "derived" by arithmetic from
published figures, or a "guess".
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, get_args

Basis = Literal["published", "derived", "guess"]

_COUNTED = ("cores", "elements", "gpus", "layers", "parameters", "streams", "tokens", "transistors", "wafers")
UNITS = frozenset({"bits", "bytes", "flops", "mm2", "s", "share", *_COUNTED})


class ProfileError(ValueError):
    """A profile does not exist or cannot be read; the message names it, and the entry at fault."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number and why it may be believed."""

    value: float
    basis: Basis
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a profile: its figures, and the names it refers to others by."""

    figures: Mapping[str, Figure]
    names: Mapping[str, str]

    def fields(self) -> dict[str, Any]:
        """Everything in it as keyword arguments of the class it describes."""
        return {**self.names, **{name: figure.value for name, figure in self.figures.items()}}


def available() -> tuple[str, ...]:
    """The names of all profiles, sorted."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def read(profile: str) -> dict[str, Section]:
    """The sections of one profile. Raises `ProfileError` when there is none or an entry is incomplete."""
    if profile not in available():
        raise ProfileError(f"no profile {profile!r}; there are: {', '.join(available())}")
    return parse((files(__name__) / f"{profile}.toml").read_text(encoding="utf-8"), profile)


def parse(text: str, profile: str) -> dict[str, Section]:
    """The sections in a TOML text; `profile` names it in errors."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{profile}: {error}") from None
    return {name: _section(table, f"{profile}: {name}") for name, table in tables.items()}


def _section(table: Any, where: str) -> Section:
    if not isinstance(table, dict):
        raise ProfileError(f"{where} must be a table")
    names = {key: entry for key, entry in table.items() if isinstance(entry, str)}
    figures = {key: _figure(key, entry, f"{where}.{key}") for key, entry in table.items() if key not in names}
    return Section(figures, names)


def _figure(key: str, entry: Any, where: str) -> Figure:
    if not isinstance(entry, dict) or set(entry) != {"value", "basis", "source"}:
        raise ProfileError(f"{where} needs a value, a basis and a source, and nothing else")
    value, basis, source = entry["value"], entry["basis"], entry["source"]
    if key.rsplit("_", 1)[-1] not in UNITS:
        raise ProfileError(f"{where} must end in its unit, one of: {', '.join(sorted(UNITS))}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise ProfileError(f"{where}.value must be a number, not negative")
    if basis not in get_args(Basis) or not isinstance(source, str) or not source.strip():
        raise ProfileError(f"{where} needs a basis ({', '.join(get_args(Basis))}) and a source in words")
    return Figure(value, basis, source)
