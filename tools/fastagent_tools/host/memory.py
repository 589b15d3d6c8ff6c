"""How much memory and swap is left, as `free` prints it."""

import re

from fastagent.state import Finding
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_HEADER = re.compile(r"^[ \t]+total\s+used\s+free\b.*", re.MULTILINE)
_ROW = re.compile(r"^(Mem|Swap):\s+(.*)$", re.MULTILINE)
_NUMBER = re.compile(r"^(\d+(?:\.\d+)?)([KMGTP]?)i?B?$", re.IGNORECASE)
_UNITS = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40, "p": 2.0**50}
SCARCE, SWAPPED = 0.05, 0.8  # shares: available memory, used swap


def _read(output: Output) -> list[Finding]:
    header = _HEADER.search(output.text)
    names = header[0].split() if header else []
    rows = {m[1]: dict(zip(names, m[2].split(), strict=False)) for m in _ROW.finditer(output.text)}
    return _memory(rows.get("Mem", {}), output) + _swap(rows.get("Swap", {}), output)


def _memory(row: dict[str, str], output: Output) -> list[Finding]:
    total, left = _amount(row.get("total", "")), _amount(row.get("available", row.get("free", "")))
    if not total or left is None or left / total >= SCARCE:
        return []
    shown = row.get("available", row.get("free", ""))
    said = f"only {shown} of {row['total']} memory is available ({left / total:.0%})"
    return [_finding(output, "host.memory.scarce", said, 0.8, "Mem:")]


def _swap(row: dict[str, str], output: Output) -> list[Finding]:
    total, used = _amount(row.get("total", "")), _amount(row.get("used", ""))
    if not total or used is None or used / total < SWAPPED:
        return []
    return [
        _finding(
            output,
            "host.memory.swap",
            f"{row['used']} of {row['total']} swap is used ({used / total:.0%})",
            0.55,
            "Swap:",
        )
    ]


def _amount(text: str) -> float | None:
    match = _NUMBER.match(text)
    return float(match[1]) * _UNITS[match[2].lower()] if match else None


def _finding(output: Output, kind: str, said: str, score: float, needle: str) -> Finding:
    original = Original(output.text, command=output.command)
    return original.finding(
        kind, said, "error" if score > 0.6 else "warning", score, "hardly any left", needles=(needle,)
    )


MEMORY = Reader("memory", lambda output: bool(_HEADER.search(output.text) and _ROW.search(output.text)), _read)
