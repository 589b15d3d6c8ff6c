"""A reader turns the output of one kind of command into findings. Readers are found in this package, not listed."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from fastagent.state import Finding


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed. `others` are outputs of further commands that the reader asked to see."""

    command: str
    text: str
    others: Mapping[str, str]
    started_at: str | None = None  # of the incident, ISO 8601


@dataclass(frozen=True, slots=True)
class Reader:
    """`fits` says whether an output is of its kind; `wants` are command lines whose outputs help to judge this one."""

    name: str
    fits: Callable[[Output], bool]
    read: Callable[[Output], list[Finding]]
    wants: re.Pattern[str] | None = None


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader of this package, by name."""
    package = import_module(__package__.partition(".")[0])
    found: dict[str, Reader] = {}
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Reader):
                found[value.name] = value
    return tuple(found[name] for name in sorted(found))
