"""Grafana: the webhook of unified alerting, that of the legacy rules, and alert rules as they are provisioned."""

from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.alertmanager import group
from fastagent.alerts.fields import Fields
from fastagent.alerts.services import services_of

SPECIFICITY = 2
_OF_AN_ALERT = ("valueString", "dashboardURL", "panelURL", "silenceURL")
_STATES = ("alerting", "ok", "pending", "no_data", "paused")


def detect(payload: Any) -> bool:
    """By the fields that Grafana adds to Alertmanager's shape, or by those of its rules."""
    if not isinstance(payload, dict):
        return False
    return _unified(payload) or {"ruleName", "state"} <= payload.keys() or {"ruleGroup", "title"} <= payload.keys()


def _unified(payload: dict[str, Any]) -> bool:
    alerts = payload.get("alerts")
    marked = isinstance(alerts, list) and any(isinstance(a, dict) and any(m in a for m in _OF_AN_ALERT) for a in alerts)
    shaped = any(name in payload for name in ("alerts", "commonLabels"))
    return marked or (shaped and ("orgId" in payload or payload.get("state") in _STATES))


def normalise(payload: Any) -> list[Alert]:
    """One alert for each that is listed, or one for a rule."""
    return group(payload, "grafana") if _unified(payload) else [_rule(Fields(payload))]


def _rule(rule: Fields) -> Alert:
    labels = rule.labels("labels") | rule.labels("tags")
    annotations = rule.labels("annotations")
    title = rule.line("title", "ruleName") or "Grafana alert"
    return Alert(
        title=title,
        source="grafana",
        severity=Fields(labels, rule.notes).severity("severity", "priority"),
        status=rule.status("state"),
        services=services_of(labels, annotations),
        labels=labels,
        annotations=annotations,
        description=rule.text("message", "annotations.description", "annotations.summary"),
        url=rule.url("ruleUrl"),
        fingerprint=rule.identity("ruleId", "uid") or fingerprint(title, sorted(labels.items())),
        notes=tuple(rule.notes),
    )
