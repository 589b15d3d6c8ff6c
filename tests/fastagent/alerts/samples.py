"""One payload of each format, small, in the shape its sender documents."""

import json
from typing import Any

ALERTMANAGER: dict[str, Any] = {
    "version": "4",
    "groupKey": '{}:{alertname="Errors"}',
    "status": "firing",
    "receiver": "on-call",
    "groupLabels": {"alertname": "Errors"},
    "commonLabels": {"alertname": "Errors", "severity": "page"},
    "commonAnnotations": {"summary": "too many errors"},
    "externalURL": "http://alerts.example:9093",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "Errors", "service": "checkout"},
            "annotations": {"description": "9 % of orders fail"},
            "startsAt": "2026-01-02T03:04:05.678Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prom.example/graph?g0.expr=up",
            "fingerprint": "aaaa000011112222",
        },
        {
            "status": "resolved",
            "labels": {"alertname": "Errors", "service": "cart"},
            "annotations": {},
            "startsAt": "2026-01-02T03:00:00Z",
            "endsAt": "2026-01-02T03:03:00Z",
            "generatorURL": "",
            "fingerprint": "bbbb000011112222",
        },
    ],
}
GRAFANA: dict[str, Any] = {
    "receiver": "team",
    "status": "firing",
    "orgId": 1,
    "state": "alerting",
    "title": "[FIRING:1] Slow",
    "version": "1",
    "groupKey": "{}/{}:{}",
    "externalURL": "https://grafana.example/",
    "commonLabels": {"alertname": "Slow", "severity": "warning", "app": "cart"},
    "commonAnnotations": {"summary": "p95 above 2 s"},
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "Slow"},
            "annotations": {},
            "startsAt": "2026-01-02T04:04:05+01:00",
            "valueString": "[ var='A' value=2.4 ]",
            "dashboardURL": "https://grafana.example/d/1",
            "fingerprint": "cccc000011112222",
        }
    ],
}
PAGERDUTY: dict[str, Any] = {
    "event": {
        "id": "01",
        "event_type": "incident.triggered",
        "occurred_at": "2026-01-02T03:04:06Z",
        "data": {
            "id": "PGR0VU2",
            "type": "incident",
            "html_url": "https://acme.pagerduty.example/incidents/PGR0VU2",
            "status": "triggered",
            "incident_key": "d3640fbd",
            "created_at": "2026-01-02T03:04:05Z",
            "title": "A little bump in the road",
            "service": {"id": "PF9KMXH", "summary": "checkout", "type": "service_reference"},
            "urgency": "high",
            "priority": {"summary": "P1"},
        },
    }
}
DATADOG: dict[str, Any] = {
    "id": "7",
    "alert_id": "123",
    "alert_transition": "Triggered",
    "alert_type": "error",
    "title": "[Triggered] Disk is filling on db-1",
    "body": "free space below 5 %",
    "date": 1767323045000,
    "hostname": "db-1",
    "link": "https://app.datadog.example/monitors/123",
    "priority": "P1",
    "tags": "env:prod,service:orders,monitor",
}
CLOUDWATCH: dict[str, Any] = {
    "Type": "Notification",
    "MessageId": "1",
    "TopicArn": "arn:aws:sns:eu-west-1:1:alarms",
    "Subject": "ALARM: HighCPU",
    "Message": json.dumps(
        {
            "AlarmName": "HighCPU",
            "AlarmDescription": "CPU above 90 %",
            "AlarmArn": "arn:aws:cloudwatch:eu-west-1:1:alarm:HighCPU",
            "NewStateValue": "ALARM",
            "NewStateReason": "Threshold Crossed",
            "StateChangeTime": "2026-01-02T03:04:05.678+0000",
            "Region": "EU (Ireland)",
            "Trigger": {
                "MetricName": "CPUUtilization",
                "Namespace": "AWS/RDS",
                "Dimensions": [{"name": "DBInstanceIdentifier", "value": "orders-db"}],
            },
        }
    ),
}
SENTRY: dict[str, Any] = {
    "action": "triggered",
    "data": {
        "event": {
            "event_id": "e4874d664c3540c1a32eab185f12c5ab",
            "title": "ReferenceError: blooopy is not defined",
            "culprit": "?(checkout.js)",
            "issue_id": "1170820242",
            "level": "error",
            "timestamp": 1767323045.678,
            "project": 1,
            "tags": [["browser", "Chrome"], ["service", "storefront"]],
            "web_url": "https://sentry.example/issues/1170820242/",
        }
    },
}
GENERIC: dict[str, Any] = {
    "summary": "checkout is slow",
    "severity": "P2",
    "state": "open",
    "started_at": "2026-01-02T03:04:05Z",
    "labels": {"service": "checkout"},
    "id": "42",
}
PLAIN = "CRITICAL: orders pile up\nservice=checkout since 2026-01-02T03:04:05Z, see the dashboard"

SAMPLES: dict[str, Any] = {
    "alertmanager": ALERTMANAGER,
    "grafana": GRAFANA,
    "pagerduty": PAGERDUTY,
    "datadog": DATADOG,
    "cloudwatch": CLOUDWATCH,
    "sentry": SENTRY,
    "generic": GENERIC,
    "plain": PLAIN,
}
