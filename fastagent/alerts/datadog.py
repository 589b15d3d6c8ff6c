"""Datadog: its webhook integration, whose fields the sender chooses, and monitors as the API shows them."""

from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.fields import Fields
from fastagent.alerts.services import services_of
from fastagent.alerts.words import DATADOG_NUMBERS

SPECIFICITY = 2
_MARKS = ("alert_transition", "alert_cycle_key", "aggreg_key", "alert_metric", "monitor_id", "ALERT_TRANSITION")
_TRIGGERED = ("triggered", "re-triggered", "renotify", "warn", "no data", "re-no data", "re-warn")


def detect(payload: Any) -> bool:
    """By a field that only Datadog has, or by the default template of the webhook."""
    if not isinstance(payload, dict):
        return False
    template = {"event_type", "last_updated", "title"} <= payload.keys()
    monitor = str(payload.get("type", "")).endswith(" alert") and "query" in payload
    return template or monitor or any(mark in payload for mark in _MARKS)


def normalise(payload: Any) -> list[Alert]:
    """One alert."""
    event = Fields(payload)
    labels = event.labels("tags")
    for name in ("host", "hostname", "alert_scope", "scope"):
        if said := event.text(name, most=200):
            labels.setdefault(name, said)
    title = event.line("title", "event_title", "alert_title", "name") or "Datadog alert"
    return [
        Alert(
            title=title,
            source="datadog",
            severity=_severity(event),
            status=_status(event),
            started_at=event.time("date", "date_happened", "last_updated"),
            services=services_of(labels),
            labels=labels,
            description=event.text("body", "event_msg", "text_only_msg", "message", "description"),
            url=event.url("link", "url", "event_url"),
            fingerprint=_fingerprint(event) or fingerprint(title, sorted(labels.items())),
            notes=tuple(event.notes),
        )
    ]


def _severity(event: Fields) -> Any:
    word = event.text("priority", "alert_priority", most=40).lower()
    if word and word != "normal":
        return Fields({"priority": DATADOG_NUMBERS.get(word, word)}, event.notes).severity("priority")
    return event.severity("alert_type")


def _status(event: Fields) -> Any:
    word = event.text("alert_transition", "transition", most=40).lower()
    return (
        "firing" if word in _TRIGGERED else Fields({"alert_transition": word}, event.notes).status("alert_transition")
    )


def _fingerprint(event: Fields) -> str:
    """The cycle's own key; else the monitor with what it is about, for one monitor watches many hosts."""
    own = event.identity("alert_id", "monitor_id")
    scope = event.identity("alert_scope", "scope", "hostname", "host")
    return event.identity("alert_cycle_key", "aggreg_key") or (f"{own}:{scope}".rstrip(":") if own else "")
