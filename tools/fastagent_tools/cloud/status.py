"""Status pages: what a provider, or the platform's own team, says of its services right now."""

import re
from pathlib import PurePosixPath

from fastagent.state import Finding, Severity
from fastagent.toolbox import Scope
from fastagent_tools.cloud.document import Around, Document, read_document
from fastagent_tools.text.fields import Json, items, text

_LISTS = ("events", "incidents", "components", "services")
_NAME = ("service", "component", "name", "title")
_STATE = ("status", "state", "statusCode", "indicator")
_BEGAN = ("started_at", "startTime", "created_at", "timestamp", "time", "updated_at")
_SAYS = ("detail", "title", "description", "body", "message", "eventDescription", "name")
_BAD = re.compile(
    r"degrad|outage|disrupt|impair|unavailab|\bdown\b|investigating|identified|elevated|\bopen\b", re.IGNORECASE
)
_WAVERING = re.compile(r"monitoring|recover", re.IGNORECASE)  # it is getting better, and was bad
MOST = 3


def is_status_page(path: str) -> bool:
    """Whether a file is called like the copy of a status page."""
    return "status" in PurePosixPath(path).stem.lower()


def judge_status(document: Document, around: Around) -> list[Finding]:
    """What is degraded, latest first; what is operational is no news."""
    if not is_status_page(document.path):
        return []
    entries = [e for name in _LISTS for e in items(document.value, name)]
    bad = [e for e in entries if _is_bad(e) and not around.is_old(text(e, *_BEGAN))]
    return [_finding(e, document) for e in sorted(bad, key=lambda e: text(e, *_BEGAN))[:MOST]]


def degraded(scope: Scope) -> list[Finding]:
    """What the status pages of a bundle say is degraded."""
    files = scope.bundle.of_part("cloud") if scope.bundle else ()
    read = (read_document(scope.bundle, f.path) for f in files if scope.bundle and is_status_page(f.path))
    return [finding for document in read if document for finding in judge_status(document, Around((document,)))]


def _is_bad(entry: Json) -> bool:
    state = text(entry, *_STATE)
    resolved = text(entry, "resolved_at", "endTime")
    return bool(_BAD.search(state) or _WAVERING.search(state)) and not resolved


def _finding(entry: Json, document: Document) -> Finding:
    says, name, state = text(entry, *_SAYS), text(entry, *_NAME), text(entry, *_STATE)
    whose = text(document.value, "provider", "component", "source", "page")
    region = text(entry, "region")
    where = " ".join(dict.fromkeys(filter(None, (whose, name if name != says else "", region))))
    severity: Severity = "warning" if _WAVERING.search(state) and not _BAD.search(state) else "error"
    return document.original.finding(
        "cloud.provider.degraded",
        f"the status page of {where or 'a provider'} says {state}: {says}",
        severity,
        0.75 if severity == "error" else 0.65,
        "the provider itself says that it is not well",
        needles=(says,),
        time=text(entry, *_BEGAN),
    )
