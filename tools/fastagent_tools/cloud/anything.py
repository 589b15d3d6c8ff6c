"""JSON that no other reader knows: strings that name a fault, and fields that tell of a bad state."""

import re
from collections.abc import Iterator
from typing import Any

from fastagent.state import Finding
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.logs.fatal import fault_of
from fastagent_tools.text.citation import merged
from fastagent_tools.text.fields import Json, text

_MAX_DEPTH, _MAX_LEAVES, _MAX_FINDINGS = 12, 20_000, 6
_NAMES = ("name", "Name", "id", "Id", "resource", "service", "identifier")
_REASONS = ("Reason", "reason", "Description", "description", "message", "Message", "StateReason", "stateReason")
_STATE_FIELD = re.compile(r"(^|_|\b)(status|state|health|phase|condition|lifecycle)\w*$", re.IGNORECASE)
_BAD = re.compile(
    r"^(failed|failure|error|unhealthy|degraded|down|impaired|critical|unavailable|stopped|crashed|timed_?out|alarm|red)\b",
    re.IGNORECASE,
)


def judge_anything(document: Document, _around: Around) -> list[Finding]:
    """Faults by their words and states by their names, each with the path to it."""
    found: list[Finding] = []
    for path, value, beside in _leaves(document.value, "", _MAX_DEPTH):
        if len(found) >= 5 * _MAX_FINDINGS:
            break
        found += _judge(path, value, beside, document)
    return merged(found)[:_MAX_FINDINGS]


def _judge(path: str, value: str, beside: Json, document: Document) -> list[Finding]:
    fault = fault_of(value) if len(value) > 8 else None
    entity = text(beside, *_NAMES)
    if fault:
        said, reason = f"{fault.says}: {value}", f"{path}: {fault.says}"
        kind = f"cloud.fault.{fault.name}"
        return [document.original.finding(kind, said, fault.severity, 0.55, reason, entity=entity, needles=(value,))]
    if _STATE_FIELD.search(path.rpartition(".")[2]) and _BAD.search(value):
        why = " ".join(w for w in (text(beside, *_REASONS[:2]), text(beside, *_REASONS[2:])) if w)
        said = f"{path} {'of ' + entity + ' ' if entity else ''}is {value}" + (f": {why}" if why else "")
        needles = (f'"{value}"', value)
        return [
            document.original.finding(
                "cloud.status", said, "warning", 0.45, f"a bad state: {path}", entity=entity, needles=needles
            )
        ]
    return []


def _leaves(value: Any, path: str, depth: int, beside: Json | None = None) -> Iterator[tuple[str, str, Json]]:
    """Strings with the path to them and the object they stand in; what lies too deep is left out."""
    if depth < 0:
        return
    if isinstance(value, dict):
        for name, part in list(value.items())[:_MAX_LEAVES]:
            yield from _leaves(part, f"{path}.{name}".lstrip("."), depth - 1, value)
    elif isinstance(value, list):
        for part in value[:_MAX_LEAVES]:
            yield from _leaves(part, path, depth - 1, beside)
    elif isinstance(value, str):
        yield path, value, beside or {}
