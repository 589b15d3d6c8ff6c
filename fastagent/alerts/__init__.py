"""Alerts of any sender in one form.

    alerts = parse(body)
    incident = incident_of(alerts)

A format is a module here with `SPECIFICITY`, `detect` and `normalise`; it is found, not listed. One bad field never
drops an alert: it becomes a note on it. A payload that nobody knows becomes a generic alert, or a plain one.
"""

from fastagent.alerts.alert import Alert
from fastagent.alerts.incident import filled, incident_of
from fastagent.alerts.parse import parse

__all__ = ["Alert", "filled", "incident_of", "parse"]
