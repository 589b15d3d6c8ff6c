"""Tables as psql prints them: aligned, unaligned (-A), without header (-t), CSV. Each row keeps its line, to quote."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_RULE = re.compile(r"\s*-[-+]*-?\s*$")
_FOOTER = re.compile(r"\(\d+ rows?\)\s*$")
_SELECT = re.compile(r"\bselect\s+(?:distinct\s+)?(.*?)\s+from\b", re.IGNORECASE | re.DOTALL)
_ALIAS = re.compile(r"(?:\bas\s+)?\"?([A-Za-z_]\w*)\"?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """Values by column name, in lower case, and the line they stand in."""

    values: Mapping[str, str]
    line: str

    def get(self, *names: str) -> str:
        """The first of these columns that there is; "" where there is none."""
        return next((self.values[name] for name in names if name in self.values), "")


def psql_tables(command: str, output: str) -> list[list[Row]]:
    """The tables of an output, in order. Empty where it holds none."""
    lines = output.splitlines()
    rules = [i for i, line in enumerate(lines) if i and _RULE.match(line) and lines[i - 1].strip()]
    if rules:
        return [_aligned(lines, rule) for rule in rules]
    return [rows] if (rows := _unruled(command, lines)) else []


def _aligned(lines: Sequence[str], rule: int) -> list[Row]:
    names = _cells(lines[rule - 1])
    rows = []
    for line in lines[rule + 1 :]:
        if _FOOTER.match(line) or not line.strip():
            break
        cells = _cells(line)
        if len(cells) == len(names):
            rows.append(_row(names, cells, line))
    return rows


def _unruled(command: str, lines: Sequence[str]) -> list[Row]:
    """Without a rule below the header: CSV or `a|b`; the names come from the header or, with -t, from the query."""
    kept = [line for line in lines if line.strip() and not _FOOTER.match(line)]
    split = _csv_cells if re.search(r"--csv\b", command) else _cells
    cells = [split(line) for line in kept]
    selected = _selected(command)
    if not cells:
        return []
    if _has_header(command, cells[0], selected):
        names, body = cells[0], list(zip(cells[1:], kept[1:], strict=True))
    elif selected and len(selected) == len(cells[0]):
        names, body = selected, list(zip(cells, kept, strict=True))
    else:
        return []
    return [_row(names, row, line) for row, line in body if len(row) == len(names)]


def _has_header(command: str, first: Sequence[str], selected: Sequence[str]) -> bool:
    if re.search(r"\s-[A-Za-z]*t|--tuples-only", command):
        return False
    return [c.lower() for c in first] == selected or all(re.fullmatch(r"[a-z_][\w? ]*", cell) for cell in first)


def _selected(command: str) -> list[str]:
    """Column names of the (last) query in a command line: aliases, else the last identifier, as psql names them."""
    found = _SELECT.findall(command)
    return [_column(item) for item in _split_top(found[-1])] if found else []


def _column(item: str) -> str:
    call = re.match(r"\s*(\w+)\s*\(.*\)\s*$", item, re.DOTALL)
    if call:
        return call[1].lower()
    alias = _ALIAS.search(item.strip())
    return alias[1].lower() if alias else item.strip().lower()


def _split_top(text: str) -> list[str]:
    """Parts between commas that stand outside parentheses."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _csv_cells(line: str) -> list[str]:
    return next(csv.reader([line]), [])


def _row(names: Sequence[str], cells: Sequence[str], line: str) -> Row:
    return Row(dict(zip((n.lower() for n in names), cells, strict=True)), line)
