"""Prometheus Alertmanager: the webhook (version 4), and single alerts as its API takes them."""

from typing import Any

from fastagent.alerts.alert import MAX_ALERTS, Alert, fingerprint
from fastagent.alerts.fields import Fields
from fastagent.alerts.services import services_of

SPECIFICITY = 1  # others send the same shape with marks of their own


def detect(payload: Any) -> bool:
    """A group of alerts, or one alert with its `alertname`."""
    if not isinstance(payload, dict):
        return False
    labels = payload.get("labels")
    single = isinstance(labels, dict) and "alertname" in labels
    grouped = any(name in payload for name in ("commonLabels", "groupLabels", "groupKey"))
    return single or (grouped and ("alerts" in payload or "version" in payload)) or _listed(payload.get("alerts"))


def _listed(alerts: Any) -> bool:
    return isinstance(alerts, list) and any(isinstance(a, dict) and "labels" in a for a in alerts)


def normalise(payload: Any) -> list[Alert]:
    """One alert for each that the group lists; a group that lists none is one alert by what it has in common."""
    return group(payload, "alertmanager")


def group(payload: Any, source: str) -> list[Alert]:
    """The alerts of a payload of this shape, under the name of who sent it."""
    common = Fields(payload)
    if common.has("labels") and not common.has("alerts"):
        return [_alert({}, Fields(payload), source)]
    listed = common.items("alerts")
    shared = list(common.notes)
    return [_alert(payload, Fields(item, list(shared), ""), source) for item in listed[:MAX_ALERTS] or [{}]]


def _alert(payload: Any, own: Fields, source: str) -> Alert:
    common = Fields(payload, own.notes)
    labels = common.labels("commonLabels") | own.labels("labels")
    annotations = common.labels("commonAnnotations") | own.labels("annotations")
    told = Fields({**labels, **annotations})
    severity = Fields({"severity": labels.get("severity") or labels.get("priority") or ""}, own.notes)
    status = own if own.has("status") else common
    started_at = own.time("startsAt", "starts_at") or told.time("startsAt", "starts_at")
    return Alert(
        title=_title(labels, annotations) or common.line("title", "alert_name", "groupKey") or f"{source} alert",
        source=source,
        severity=severity.severity("severity"),
        status=status.status("status", "state"),
        started_at=started_at,
        services=services_of(labels, annotations),
        labels=labels,
        annotations=annotations,
        description=annotations.get("description") or annotations.get("message") or common.text("message"),
        url=own.url("generatorURL") or common.url("externalURL"),
        fingerprint=own.identity("fingerprint") or fingerprint(sorted(labels.items()), common.text("groupKey")),
        notes=tuple(own.notes),
    )


def _title(labels: dict[str, str], annotations: dict[str, str]) -> str:
    summary = annotations.get("summary") or annotations.get("title") or ""
    return Fields({"title": ": ".join(part for part in (labels.get("alertname", ""), summary) if part)}).line("title")
