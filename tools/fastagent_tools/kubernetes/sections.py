"""`Key: value` text with nested blocks, as `kubectl describe` prints it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_KEY = re.compile(r"^([\w\"][^:]*):(?:\s+(.*))?$")


@dataclass(slots=True)
class Section:
    """What stands behind a key on its line, and the deeper lines below it."""

    value: str = ""
    body: list[str] = field(default_factory=list)

    def below(self) -> dict[str, "Section"]:
        """The sections of the deeper lines."""
        return sections(self.body)

    def child(self, name: str) -> str:
        """The value behind a key below; "" where there is none."""
        found = self.below().get(name)
        return found.value if found else ""

    def entries(self) -> list[str]:
        """All values: the one on the line, then one a line."""
        return [line.strip() for line in (self.value, *self.body) if line.strip() and line.strip() != "<none>"]


def sections(lines: Sequence[str]) -> dict[str, Section]:
    """Sections at the outermost indentation; the first of a name wins."""
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    found: dict[str, Section] = {}
    current = Section()
    for line in lines:
        depth = len(line) - len(line.lstrip())
        match = _KEY.match(line.strip()) if depth == indent and line.strip() else None
        if match:
            current = Section((match[2] or "").strip())
            found.setdefault(match[1].strip(), current)
        else:
            current.body.append(line)
    return found


def table(lines: Sequence[str], columns: int) -> list[list[str]]:
    """Rows below a ruled header, split where two blanks stand; the last cell takes the rest."""
    rule = next((i for i, line in enumerate(lines) if set(line.strip()) <= {"-", " "} and "--" in line), 0)
    return [re.split(r"\s{2,}", line.strip(), maxsplit=columns - 1) for line in lines[rule + 1 :] if line.strip()]
