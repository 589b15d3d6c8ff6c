"""Any JSON object that no other format knows: the usual names for the usual things, here and one level down."""

from collections.abc import Sequence
from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.fields import Fields
from fastagent.alerts.services import services_of
from fastagent.alerts.words import SEVERITY_OF, STATUS_OF

SPECIFICITY = 0
_INSIDE = ("", "event.", "incident.", "alert.", "data.", "payload.", "inputs.", "metadata.")
_TITLE = (
    "title", "name", "alert_name", "alertname", "summary", "event_definition_title", "check_name", "subject", "Subject",
    "messageTitle", "message", "description", "event", "text", "error",
)  # fmt: skip
_TIME = (
    "startsAt", "started_at", "startedAt", "start_time", "starts_at", "timestamp", "created_at", "createdAt", "time",
    "long_date_time", "datetime", "date", "Timestamp", "queryEndTime",
)  # fmt: skip
_SEVERITY = ("severity", "level", "priority", "alert_type", "urgency", "metadata.system_labels.severity")
_STATUS = ("status", "state", "action", "alert_action", "notification_type", "alert_type", "statusExtended")
_TEXT = (
    "description",
    "message",
    "messageBody",
    "text",
    "output",
    "body",
    "details",
    "summary",
    "documentation.content",
)
_LABELS = ("labels", "tags", "metadata", "fields", "resource.labels", "metric.labels", "policy_user_labels")
_URL = ("url", "link", "alert_url", "html_url", "web_url", "permalink", "detectorUrl")
_FINGERPRINT = ("fingerprint", "dedup_key", "dedupKey", "incident_id", "incidentId", "alert_id", "uuid", "id")


def detect(payload: Any) -> bool:
    """Whatever is a JSON object."""
    return isinstance(payload, dict)


def normalise(payload: Any) -> list[Alert]:
    """One alert, whatever the object holds."""
    fields, labels = Fields(payload), dict[str, str]()
    for name in _within(_LABELS):
        labels = Fields(payload, _quiet()).labels(name) | labels
    named = {name: said for name in _within(("service", "host", "source")) if (said := _word(payload, (name,)))}
    labels |= {name.rsplit(".", 1)[-1]: said for name, said in reversed(named.items())}
    annotations = Fields(payload, _quiet()).labels("annotations")
    title = _line(payload, _within(_TITLE)) or _line(annotations, ("summary", "description"))
    return [
        Alert(
            title=title or "Alert without a title",
            source="generic",
            severity=SEVERITY_OF.get(
                _known(payload, _SEVERITY, SEVERITY_OF) or labels.get("severity", "").lower(), "error"
            ),
            status=STATUS_OF.get(_known(payload, _STATUS, STATUS_OF), "firing"),
            started_at=fields.time(*_within(_TIME)) or Fields(labels, fields.notes).time(*_TIME),
            services=services_of(labels, annotations),
            labels=labels,
            annotations=annotations,
            description=Fields(payload, _quiet()).text(*_within(_TEXT)) or annotations.get("description", ""),
            url=fields.url(*_within(_URL)),
            fingerprint=Fields(payload, _quiet()).identity(*_within(_FINGERPRINT))
            or fingerprint(title, sorted(labels.items())),
            notes=tuple(fields.notes),
        )
    ]


def _quiet() -> list[str]:
    """Notes for nobody: of names that are only guessed, that one holds something else says nothing."""
    return []


def _within(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(inside + name for inside in _INSIDE for name in names)


def _line(payload: Any, names: Sequence[str]) -> str:
    return Fields(payload, _quiet()).line(*names)


def _word(payload: Any, names: Sequence[str]) -> str:
    said = Fields(payload, _quiet()).text(*names, most=200)
    return "" if said.startswith("$") else said  # a template that the sender did not fill in


def _known(payload: Any, names: Sequence[str], words: Any) -> str:
    """The first of these fields that holds a word we know, lower case; "" where none does."""
    said = (_word(payload, (name,)).strip().lower() for name in _within(names))
    return next((word for word in said if word in words), "")
