"""Amazon CloudWatch: alarms as SNS hands them over (the envelope is opened before), and as EventBridge does."""

from typing import Any

from fastagent.alerts.alert import Alert, fingerprint
from fastagent.alerts.fields import Fields
from fastagent.alerts.services import services_of

SPECIFICITY = 2


def detect(payload: Any) -> bool:
    """By the alarm's name, or by EventBridge's source."""
    return isinstance(payload, dict) and ("AlarmName" in payload or payload.get("source") == "aws.cloudwatch")


def normalise(payload: Any) -> list[Alert]:
    """One alert."""
    fields = Fields(payload)
    return [_alarm(fields) if fields.has("AlarmName") else _event(fields)]


def _alarm(alarm: Fields) -> Alert:
    trigger = alarm.sub("Trigger") if alarm.has("Trigger") else alarm
    labels = trigger.labels("Dimensions") | _picked(trigger, "MetricName", "Namespace", "Threshold")
    labels |= _picked(alarm, "Region", "AWSAccountId", "Application")
    name = alarm.line("AlarmName") or "CloudWatch alarm"
    return Alert(
        title=name,
        source="cloudwatch",
        severity=alarm.severity("Priority") if alarm.has("Priority") else "error",
        status=_state(alarm, "NewStateValue"),
        started_at=alarm.time("StateChangeTime"),
        services=_services(labels),
        labels=labels,
        description="\n".join(t for t in (alarm.text("AlarmDescription"), alarm.text("NewStateReason")) if t),
        fingerprint=alarm.identity("AlarmArn") or fingerprint(name, sorted(labels.items())),
        notes=tuple(alarm.notes),
    )


def _event(event: Fields) -> Alert:
    detail = event.sub("detail")
    metrics = [m for m in detail.items("configuration.metrics") if isinstance(m, dict)]
    metric = Fields(metrics[0] if metrics else {}, event.notes).sub("metricStat.metric")
    labels = metric.labels("dimensions") | _picked(metric, "name", "namespace") | _picked(event, "region", "account")
    name = detail.line("alarmName") or event.line("detail-type") or "CloudWatch event"
    arns = [r for r in event.items("resources") if isinstance(r, str)]
    return Alert(
        title=name,
        source="cloudwatch",
        status=_state(detail, "state.value"),
        started_at=detail.time("state.timestamp") or event.time("time"),
        services=_services(labels),
        labels=labels,
        description="\n".join(t for t in (detail.text("configuration.description"), detail.text("state.reason")) if t),
        fingerprint=arns[0] if arns else fingerprint(name, sorted(labels.items())),
        notes=tuple(event.notes),
    )


def _picked(fields: Fields, *names: str) -> dict[str, str]:
    return {name: said for name in names if (said := fields.text(name, most=200))}


def _state(fields: Fields, name: str) -> Any:
    """INSUFFICIENT_DATA is neither health nor fault: someone should look."""
    word = fields.text(name, most=40).lower()
    return "firing" if word == "insufficient_data" else fields.status(name)


def _services(labels: dict[str, str]) -> tuple[str, ...]:
    """Dimensions such as ServiceName, FunctionName, DBInstanceIdentifier name what the alarm is about."""
    known = services_of({name.lower(): said for name, said in labels.items()})
    named = (said for name, said in labels.items() if name.endswith(("Name", "Identifier", "Id")) and name[0].isupper())
    return known or tuple(dict.fromkeys(s for s in named if s != labels.get("MetricName")))[:3]
