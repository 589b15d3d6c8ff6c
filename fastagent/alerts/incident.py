"""From alerts to the incident that they tell of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from fastagent.alerts.alert import Alert
from fastagent.alerts.fields import clipped
from fastagent.state import Incident, as_json

MAX_SERVICES = 20
MAX_SHOWN = 10  # alerts that an incident carries; a storm says little more than its first ones
MAX_LABELS, MAX_VALUE_CHARS = 30, 300  # of a shown alert: the model reads all of it
_WORST_FIRST = ("critical", "error", "warning", "info")


def incident_of(alerts: Sequence[Alert]) -> Incident:
    """What the alerts say together: the worst one's words, the earliest start, everybody they name."""
    ranked = _ranked(alerts)
    if not ranked:
        return Incident("Incident without an alert")
    firing = [a for a in ranked if a.status == "firing"] or ranked
    others = len(firing) - 1
    return Incident(
        title=firing[0].title + (f" (and {others} more)" if others else ""),
        started_at=min((a.started_at for a in firing if a.started_at), default=None),
        services=tuple(dict.fromkeys(s for a in firing for s in a.services))[:MAX_SERVICES],
        namespace=next((n for a in firing if (n := a.told("namespace") or a.told("kube_namespace"))), None),
        context=firing[0].description,
        alerts=tuple(_shown(a) for a in ranked[:MAX_SHOWN]),
    )


def filled(incident: Incident, alerts: Sequence[Alert]) -> Incident:
    """The incident, with what it does not say itself taken from its alerts."""
    if not alerts:
        return incident
    told = incident_of(alerts)
    return replace(
        incident,
        title=incident.title or told.title,
        started_at=incident.started_at or told.started_at,
        services=incident.services or told.services,
        namespace=incident.namespace or told.namespace,
        alerts=told.alerts,
    )


def _ranked(alerts: Sequence[Alert]) -> list[Alert]:
    """Firing before resolved, then by severity, then by start."""
    return sorted(alerts, key=lambda a: (a.status != "firing", _WORST_FIRST.index(a.severity), a.started_at or "9999"))


def _shown(alert: Alert) -> dict[str, Any]:
    """An alert as the model sees it: what is empty says nothing."""
    told = replace(alert, labels=_some(alert.labels), annotations=_some(alert.annotations))
    return {name: value for name, value in as_json(told).items() if value}


def _some(labels: Mapping[str, str]) -> dict[str, str]:
    return {name: clipped(value, MAX_VALUE_CHARS) for name, value in islice(labels.items(), MAX_LABELS)}
