"""PagerDuty: webhooks of version 3 and 2, and events as its Events API v2 takes them."""

from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.fields import Fields

SPECIFICITY = 2


def detect(payload: Any) -> bool:
    """By the event's type, the messages of version 2, or the Events API's own two fields."""
    if not isinstance(payload, dict):
        return False
    event, messages = payload.get("event"), payload.get("messages")
    if isinstance(event, dict) and str(event.get("event_type", "")).startswith("incident."):
        return True
    if isinstance(messages, list) and any(isinstance(m, dict) and "incident" in m for m in messages):
        return True
    return "event_action" in payload and ("routing_key" in payload or "dedup_key" in payload)


def normalise(payload: Any) -> list[Alert]:
    """One alert for each incident."""
    fields = Fields(payload)
    if fields.has("event_action"):
        return [_event(fields)]
    if fields.has("messages"):
        return [_incident(Fields(m).sub("incident"), "") for m in fields.items("messages")]
    event = fields.sub("event")
    return [_incident(event.sub("data"), event.text("event_type").removeprefix("incident."))]


def _incident(incident: Fields, action: str) -> Alert:
    status = incident if incident.has("status") else Fields({"status": action}, incident.notes)
    service = incident.text("service.summary", "service.name", most=120)
    title = incident.line("title", "summary", "description") or "PagerDuty incident"
    urgency = incident.text("urgency", most=40).lower()
    graded = incident.has("priority.summary") or incident.has("priority.name")
    return Alert(
        title=title,
        source="pagerduty",
        severity=incident.severity("priority.summary", "priority.name") if graded else _by_urgency(urgency),
        status=status.status("status"),
        started_at=incident.time("created_at"),
        services=(service,) if service else (),
        labels={"urgency": urgency} if urgency else {},
        description=incident.text("body.details", "description"),
        url=incident.url("html_url"),
        fingerprint=incident.identity("incident_key", "id") or fingerprint(title, service),
        notes=tuple(incident.notes),
    )


def _by_urgency(urgency: str) -> Any:
    return {"high": "critical", "low": "warning"}.get(urgency, "error")


def _event(event: Fields) -> Alert:
    payload = event.sub("payload")
    labels = payload.labels("custom_details") | {
        name: said for name in ("component", "group", "class", "source") if (said := payload.text(name, most=200))
    }
    title = payload.line("summary") or "PagerDuty event"
    named = [payload.text(name, most=120) for name in ("component", "source")]
    return Alert(
        title=title,
        source="pagerduty",
        severity=payload.severity("severity"),
        status=event.status("event_action"),
        started_at=payload.time("timestamp"),
        services=tuple(dict.fromkeys(n for n in named if n)),
        labels=labels,
        url=event.url("client_url"),
        fingerprint=event.identity("dedup_key") or fingerprint(title, sorted(labels.items())),
        notes=tuple(event.notes),
    )
