"""The other shapes in which the same senders post."""

from typing import Any

import pytest

from fastagent.alerts import parse

PAGERDUTY_V2 = {
    "messages": [
        {
            "event": "incident.resolve",
            "incident": {
                "id": "P1",
                "title": "db down",
                "status": "resolved",
                "urgency": "low",
                "created_at": "2026-01-02T03:04:05Z",
                "service": {"name": "db"},
            },
        }
    ]
}
PAGERDUTY_EVENT = {
    "routing_key": "R",
    "event_action": "trigger",
    "dedup_key": "k1",
    "payload": {
        "summary": "db down",
        "source": "db-1",
        "component": "db",
        "severity": "critical",
        "timestamp": "2026-01-02T03:04:05Z",
        "custom_details": {"port": 5432},
    },
}
DATADOG_TEMPLATE = {
    "id": "7",
    "title": "[Recovered] db down",
    "event_type": "metric_alert_monitor",
    "last_updated": "1767323045000",
    "date": "1767323045000",
    "body": "fine again",
    "alert_transition": "Recovered",
    "org": {"id": "1", "name": "acme"},
}
EVENTBRIDGE = {
    "source": "aws.cloudwatch",
    "detail-type": "CloudWatch Alarm State Change",
    "time": "2026-01-02T03:04:06Z",
    "region": "eu-west-1",
    "resources": ["arn:aws:cloudwatch:eu-west-1:1:alarm:db"],
    "detail": {
        "alarmName": "db down",
        "state": {"value": "ALARM", "reason": "Threshold Crossed", "timestamp": "2026-01-02T03:04:05.000+0000"},
        "configuration": {
            "metrics": [{"metricStat": {"metric": {"name": "Up", "namespace": "X", "dimensions": {"Service": "db"}}}}]
        },
    },
}
SENTRY_ISSUE = {
    "action": "resolved",
    "data": {
        "issue": {
            "id": "1",
            "title": "db down",
            "level": "fatal",
            "status": "resolved",
            "firstSeen": "2026-01-02T03:04:05Z",
            "project": {"id": "3", "slug": "db"},
        }
    },
}
SENTRY_METRIC = {
    "action": "critical",
    "data": {
        "description_title": "db down",
        "description_text": "9 errors",
        "web_url": "https://sentry.example/1",
        "metric_alert": {"id": "9", "projects": ["db"], "date_started": "2026-01-02T03:04:05Z"},
    },
}
GRAFANA_LEGACY = {
    "ruleName": "db down",
    "ruleId": 9,
    "ruleUrl": "https://grafana.example/1",
    "state": "ok",
    "title": "[OK] db down",
    "tags": {"service": "db"},
    "evalMatches": [],
}


@pytest.mark.parametrize(
    ("payload", "source", "status", "severity", "key"),
    [
        (PAGERDUTY_V2, "pagerduty", "resolved", "warning", "P1"),
        (PAGERDUTY_EVENT, "pagerduty", "firing", "critical", "k1"),
        (DATADOG_TEMPLATE, "datadog", "resolved", "error", None),
        (EVENTBRIDGE, "cloudwatch", "firing", "error", "arn:aws:cloudwatch:eu-west-1:1:alarm:db"),
        (SENTRY_ISSUE, "sentry", "resolved", "critical", "1"),
        (SENTRY_METRIC, "sentry", "firing", "critical", "9"),
        (GRAFANA_LEGACY, "grafana", "resolved", "error", "9"),
    ],
)
def test_each_shape_is_read(payload: Any, source: str, status: str, severity: str, key: str | None) -> None:
    (alert,) = parse(payload)
    assert (alert.source, alert.status, alert.severity) == (source, status, severity)
    assert "db down" in alert.title
    assert alert.notes == ()
    assert alert.fingerprint == key or key is None
    if source != "datadog":
        assert alert.services[0] == "db"
    if source != "grafana":
        assert alert.started_at == "2026-01-02T03:04:05Z"
