"""Reads JSON of unknown shape: a wrong type counts as absent, so that hostile or truncated data never raises."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]


def mapping(value: Any, *path: str) -> Json:
    """The object at the end of the path; empty where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def items(value: Any, *names: str) -> list[Json]:
    """The objects in the first of these fields that is a list (of the value itself without names)."""
    found = pick(value, *names) if names else value
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        return []
    return [entry for entry in found if isinstance(entry, Mapping)]


def pick(value: Any, *names: str) -> Any:
    """The first of these fields that is there and not null."""
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in names if value.get(name) is not None), None)


def text(value: Any, *names: str) -> str:
    """A scalar as text; "" for objects, lists and nothing. Booleans are written as JSON has them, capitalised."""
    found = pick(value, *names) if names else value
    if found is None or isinstance(found, Mapping | list | tuple):
        return ""
    return str(found)


def words(value: Any, *names: str) -> tuple[str, ...]:
    """A list of scalars as texts; a single scalar as a list of one."""
    found = pick(value, *names) if names else value
    if isinstance(found, list | tuple):
        return tuple(text(entry) for entry in found if text(entry))
    return (text(found),) if text(found) else ()


def pairs(value: Any, *path: str) -> dict[str, str]:
    """An object's scalar fields as texts: labels, limits, selectors."""
    return {str(k): text(v) for k, v in mapping(value, *path).items() if text(v)}


def number(value: Any, *names: str) -> float | None:
    """A finite number, also where it is written as text; None for anything else."""
    found = pick(value, *names) if names else value
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return None
    try:
        read = float(found)
    except (ValueError, OverflowError):
        return None
    return read if abs(read) < 1e300 else None


def whole(value: Any, *names: str) -> int | None:
    """A whole number; None for anything else."""
    read = number(value, *names)
    return int(read) if read is not None else None


def escaped(value: str) -> str:
    """Text as it stands inside a JSON string."""
    return json.dumps(value, ensure_ascii=False)[1:-1]
