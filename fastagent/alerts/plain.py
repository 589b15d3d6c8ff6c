"""Plain text: an e-mail, a chat line, whatever a script could send. Also JSON that is only a text or a number."""

import re
from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.fields import MAX_TEXT_CHARS, MAX_TITLE_CHARS, clipped
from fastagent.alerts.times import iso
from fastagent.alerts.words import SEVERITY_OF
from fastagent.state import Severity

SPECIFICITY = 0
_LEVEL = re.compile(r"\b(critical|crit|fatal|emergency|p1|sev1|error|p2|sev2|warning|warn|p3|info)\b", re.IGNORECASE)
_OVER = re.compile(r"^\W*(resolved|recovered|ok|closed|recovery)\b", re.IGNORECASE)
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_SERVICE = re.compile(r"\b(?:service|app|job|host)\s*[=:]\s*\"?([\w./-]{2,100})", re.IGNORECASE)


def detect(payload: Any) -> bool:
    """Whatever is no JSON object."""
    return not isinstance(payload, dict)


def normalise(payload: Any) -> list[Alert]:
    """One alert: its first line is the title, a level, a time and `service=` are taken from anywhere in it."""
    whole = payload if isinstance(payload, str) else repr(payload)
    text = clipped(whole.strip(), MAX_TEXT_CHARS)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    title = clipped(lines[0] if lines else "Alert without a title", MAX_TITLE_CHARS)
    started_at, notes = _time(text)
    return [
        Alert(
            title=title,
            source="plain",
            severity=_severity(text),
            status="resolved" if _OVER.search(title) else "firing",
            started_at=started_at,
            services=tuple(dict.fromkeys(_SERVICE.findall(text))),
            description=text if len(lines) > 1 else "",
            fingerprint=fingerprint(text),
            notes=notes,
        )
    ]


def _severity(text: str) -> Severity:
    found = _LEVEL.search(text)
    return SEVERITY_OF[found[0].lower()] if found else "error"


def _time(text: str) -> tuple[str | None, tuple[str, ...]]:
    found = _TIME.search(text)
    try:
        return (iso(found[0]) if found else None), ()
    except ValueError as error:
        return None, (f"time: {error}: {found[0] if found else ''}",)
