"""The tool `alert_overview`: what the alerts of an incident say."""

from collections.abc import Mapping
from typing import Any

from fastagent.bundle import MAX_JSON_BYTES
from fastagent.state import Finding, Observation
from fastagent.toolbox import Scope, tool
from fastagent_tools.alerting.names import UNKNOWN, meaning_of
from fastagent_tools.text.citation import Original
from fastagent_tools.text.fields import mapping, text

MOST = 8
BY_DESIGN_SCORE, SYMPTOM_SCORE = 0.9, 0.3  # that it always fires explains it; that it fires does not
_ENTITY = ("pod", "deployment", "statefulset", "job_name", "container", "node", "persistentvolumeclaim")


@tool(expect_s=0.05, opening={})
def alert_overview(scope: Scope) -> Observation:
    """Which alerts fired, since when, what they measure, and whether one of them fires by design."""
    alerts = [a for a in scope.incident.alerts if isinstance(a, Mapping)]
    told = [_told(alert, _originals(scope)) for alert in alerts[:MOST]]
    if not told:
        return Observation("No alert is recorded.")
    left = len(alerts) - len(told)
    return Observation(
        f"{len(alerts)} alert{'s' * (len(alerts) != 1)}. {told[0].statement}.",
        tuple(told),
        left_out=f"{left} further alerts" if left > 0 else "",
        examined=len(alerts),
    )


def _told(alert: Mapping[str, Any], originals: list[Original]) -> Finding:
    labels, notes = mapping(alert, "labels"), mapping(alert, "annotations")
    name = text(labels, "alertname") or text(alert, "title").split(":", maxsplit=1)[0].rstrip(".")
    said = text(notes, "description") or text(alert, "description") or text(notes, "summary") or text(alert, "title")
    since = text(alert, "started_at")
    meaning = meaning_of(name) or UNKNOWN
    when = f" fires since {since}" if since else ""
    details = "" if meaning.by_design else f" ({said})"
    made = [
        original.finding(
            f"alert.{meaning.kind}",
            f"alert {name}{when}: {meaning.says}{details}",
            "info",  # it repeats the symptom
            BY_DESIGN_SCORE if meaning.by_design else SYMPTOM_SCORE,
            "what its name means in common rule sets" if meaning is not UNKNOWN else "the alert itself",
            entity=text(labels, *_ENTITY) or (name if meaning.by_design else ""),
            needles=(said.splitlines()[0] if said else name, name),
            time=since or None,
        )
        for original in originals
    ]
    return next((f for f in made if f.quote), made[-1])


def _originals(scope: Scope) -> list[Original]:
    """The files that can be quoted; an alert that came from elsewhere has none, and its finding no quote."""
    files = scope.bundle.files if scope.bundle else ()
    paths = [f.path for f in files if f.part in ("alert", "incident") and f.size_bytes <= MAX_JSON_BYTES]
    return [*filter(None, (_original(scope, path) for path in paths)), Original("")]


def _original(scope: Scope, path: str) -> Original | None:
    try:
        return Original(scope.bundle.locate(path).read_text("utf-8", "replace"), file=path) if scope.bundle else None
    except OSError:
        return None
