"""The words in which senders say how bad it is and whether it is over."""

from fastagent.alerts.alert import Status
from fastagent.state import Severity

_SEVERITIES: dict[Severity, str] = {
    "critical": "critical crit page p1 sev0 sev1 sev-1 s1 emergency emerg fatal disaster alert high-urgency blocker",
    "error": "error err high p2 sev2 sev-2 s2 major failure failed average alarm down",
    "warning": "warning warn medium moderate p3 sev3 sev-3 s3 minor degraded",
    "info": "info information informational low p4 p5 sev4 sev5 notice debug ok success none normal up",
}
_STATUSES: dict[Status, str] = {
    "firing": "firing alerting alarm open opened active trigger triggered triggering problem down critical warning "
    "error new created unresolved no_data nodata pending acknowledged anomalous failure failed ongoing regressed",
    "resolved": "resolved resolve ok closed close recovered recovery up normal success fixed completed inactive "
    "archived ignored cleared",
}
SEVERITY_OF = {word: severity for severity, words in _SEVERITIES.items() for word in words.split()}
STATUS_OF = {word: status for status, words in _STATUSES.items() for word in words.split()}
DATADOG_NUMBERS = {"1": "p1", "2": "p2", "3": "p3", "4": "p4", "5": "p5"}
