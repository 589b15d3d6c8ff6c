"""Monitors and alarms with their present state."""

from fastagent.state import Finding
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.text.fields import Json, items, text, words

_LISTS = ("monitors", "MetricAlarms", "CompositeAlarms", "alarms", "alerts")
_FIRING = {"alert", "alarm", "alerting", "firing", "triggered", "critical"}
_WARNING = {"warn", "warning"}
_CALM = {"ok", "normal", "inactive", "resolved"}
_ENTITY = ("service", "kube_deployment", "kube_replicaset", "host", "dbinstanceidentifier", "pod_name")


def judge_monitors(document: Document, _around: Around) -> list[Finding]:
    """Those that fire (which repeats the symptom, and is no cause), and how many are calm."""
    monitors = [m for name in _LISTS for m in items(document.value, name) if _state(m)]
    found = [f for m in monitors for f in _firing(m, document)]
    calm = [m for m in monitors if _state(m) in _CALM]
    if calm:
        names = ", ".join(_name(m) for m in calm[:4])
        said = f"{len(calm)} of {len(monitors)} monitors are OK: {names}"
        needles = (_name(calm[0]),)
        found.append(
            document.original.finding(
                "cloud.healthy.monitors",
                said,
                "info",
                0.3,
                "within their thresholds",
                entity=_entity(calm[0]),
                needles=needles,
            )
        )
    return found


def _firing(monitor: Json, document: Document) -> list[Finding]:
    state = _state(monitor)
    if state not in _FIRING | _WARNING:
        return []
    why = text(monitor, "message", "StateReason", "description")
    asks = text(monitor, "query")
    said = f"monitor '{_name(monitor)}' is in state {text(monitor, *_STATES)}: {why}" + (f" [{asks}]" if asks else "")
    firing = state in _FIRING
    return [
        document.original.finding(
            "cloud.monitor.alert", said, "warning", 0.45 if firing else 0.35, f"state {state}",
            entity=_entity(monitor), needles=(_name(monitor),),
        )
    ]  # fmt: skip


_STATES = ("overall_state", "StateValue", "state", "status")


def _state(monitor: Json) -> str:
    return text(monitor, *_STATES).lower()


def _name(monitor: Json) -> str:
    return text(monitor, "name", "AlarmName", "title")


def _entity(monitor: Json) -> str:
    tags = dict(tag.split(":", 1) for tag in words(monitor, "tags") if ":" in tag)
    dimensions = [text(d, "Value", "value") for d in items(monitor, "Dimensions", "dimensions")]
    return next((tags[name] for name in _ENTITY if name in tags), next(iter(dimensions), ""))
