"""Tables as `kubectl get` prints them: columns padded with blanks under a header in capitals."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_HEADER = re.compile(r"^(NAME|NAMESPACE|POD|LAST SEEN|FIRST SEEN|REASON|TYPE)\b(?:[A-Z0-9 :_/%-]|\([A-Za-z%]+\))*\s*$")
_AGO = re.compile(r"\s\((?:\S+ ago|x\d+ over \S+)\)")


@dataclass(frozen=True, slots=True)
class Row:
    """Cells by column name (in capitals), and the line they stand in."""

    cells: Mapping[str, str]
    line: str

    def get(self, *names: str) -> str:
        """The first of these columns that there is; "" for none and for `<none>`."""
        value = next((self.cells[name] for name in names if name in self.cells), "")
        return "" if value in ("<none>", "<unset>", "<unknown>") else value

    @property
    def name(self) -> str:
        """The object's name without its kind."""
        return self.get("NAME", "POD").rpartition("/")[2]


def is_header(line: str) -> bool:
    """Whether a line is a table's header."""
    return bool(_HEADER.match(line)) and len(line.split()) > 1


def tables(lines: Sequence[str]) -> list[list[Row]]:
    """The tables in a text, in order; each ends at a blank line or at the next header."""
    found: list[list[Row]] = []
    header: list[tuple[str, int]] = []
    for line in lines:
        if is_header(line):
            header = _columns(line)
            found.append([])
        elif not line.strip():
            header = []
        elif header and found:
            found[-1].append(Row(_cells(header, line), line))
    return [rows for rows in found if rows]


def _columns(line: str) -> list[tuple[str, int]]:
    """Names and where they begin. Two blanks part columns; where there are none, one does."""
    apart = r"\S+(?: \S+)*" if "  " in line.strip() else r"\S+"
    return [(m[0], m.start()) for m in re.finditer(apart, line)]


def _cells(header: Sequence[tuple[str, int]], line: str) -> dict[str, str]:
    names = [name for name, _ in header]
    if _is_aligned(header, line):
        starts = [start for _, start in header] + [len(line)]
        return {name: line[a:b].strip() for name, a, b in zip(names, starts, starts[1:], strict=False)}
    cells = re.split(r"\s{2,}", line.strip(), maxsplit=len(names) - 1)
    if len(cells) != len(names):
        cells = _AGO.sub("", line).split(maxsplit=len(names) - 1)
    return dict(zip(names, cells, strict=False))


def _is_aligned(header: Sequence[tuple[str, int]], line: str) -> bool:
    """Whether a blank stands before each column's beginning, so that empty cells can be told."""
    return all(start == 0 or start > len(line) or line[start - 1 : start] == " " for _, start in header)
