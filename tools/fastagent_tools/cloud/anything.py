"""JSON that no other reader knows: strings that name a fault, and fields that tell of a bad state."""

import re
from collections.abc import Iterator
from typing import Any

from fastagent.state import Finding
from fastagent_tools.citation import merged
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.logs.fatal import fault_of

_MAX_DEPTH, _MAX_LEAVES, _MAX_FINDINGS = 12, 20_000, 6
_STATE_FIELD = re.compile(r"(^|_|\b)(status|state|health|phase|condition|lifecycle)\w*$", re.IGNORECASE)
_BAD = re.compile(
    r"^(failed|failure|error|unhealthy|degraded|down|impaired|critical|unavailable|stopped|crashed|timed_?out|alarm|red)\b",
    re.IGNORECASE,
)


def judge_anything(document: Document, _around: Around) -> list[Finding]:
    """Faults by their words and states by their names, each with the path to it."""
    found: list[Finding] = []
    for path, value in _leaves(document.value, "", _MAX_DEPTH):
        if len(found) >= 5 * _MAX_FINDINGS:
            break
        name = path.rpartition(".")[2]
        fault = fault_of(value) if len(value) > 8 else None
        if fault:
            said = f"{fault.says}: {value}"
            found.append(
                document.original.finding(
                    f"cloud.fault.{fault.name}", said, fault.severity, 0.55, f"{path}: {fault.says}", needles=(value,)
                )
            )
        elif _STATE_FIELD.search(name) and _BAD.search(value):
            found.append(
                document.original.finding(
                    "cloud.status", f"{path} is {value}", "warning", 0.45, "a bad state", needles=(f'"{value}"', value)
                )
            )
    return merged(found)[:_MAX_FINDINGS]


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Strings with the path to them; what lies too deep is left out."""
    if depth < 0:
        return
    if isinstance(value, dict):
        for name, part in list(value.items())[:_MAX_LEAVES]:
            yield from _leaves(part, f"{path}.{name}".lstrip("."), depth - 1)
    elif isinstance(value, list):
        for part in value[:_MAX_LEAVES]:
            yield from _leaves(part, path, depth - 1)
    elif isinstance(value, str):
        yield path, value
