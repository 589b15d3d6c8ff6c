"""Events: warnings in Kubernetes' words, each under its own kind."""

from fastagent.state import Finding, Severity
from fastagent_tools.kubernetes.messages import Meaning, is_over, meaning_of
from fastagent_tools.kubernetes.model import Cluster, Event
from fastagent_tools.kubernetes.naming import among, by_name, without_hash
from fastagent_tools.kubernetes.pods import selected
from fastagent_tools.text.citation import Original

_FAULTS_AS_NORMAL = {"NodeNotReady", "OOMKilling", "Evicted", "TaintManagerEviction"}
_PASSING = 1  # seen so often an event may be a hiccup
_OFTEN = 5


def judge_event(event: Event, original: Original, around: Cluster) -> list[Finding]:
    """A warning as a finding. Normal events say nothing, but for faults that are logged as such."""
    if event.type == "Normal" and event.reason not in _FAULTS_AS_NORMAL:
        return []
    meaning = meaning_of(event.reason, event.message)
    over = is_over(event.message) or is_well_now(event, around)
    kind = meaning.kind if meaning else f"k8s.event.{event.reason}"
    severity: Severity = "info" if over else meaning.severity if meaning else "warning"
    if severity == "warning" and meaning and event.count >= _OFTEN and not runs_well(event.name, around):
        severity = "error"
    score = 0.32 if over else _score(event, meaning, around)
    reason = meaning.says if meaning else f"a warning: {event.reason}"
    return [
        original.finding(
            kind, _statement(event, around), severity, score, reason + (", which is over" if over else ""),
            entity=entity_of(event, around), needles=(event.message, event.reason), after=event.reason, time=event.last
            if event.last[:4].isdigit() else None,
        )
    ]  # fmt: skip


def _score(event: Event, meaning: Meaning | None, around: Cluster) -> float:
    score = meaning.score - 0.02 if meaning else 0.4  # the object itself says it better
    if event.kind == "Pod" and runs_well(event.name, around):
        return score * 0.6  # its pod has got over it
    return score if event.count > _PASSING else score - 0.05


def runs_well(name: str, around: Cluster) -> bool:
    """Whether a pod is known to run with all its containers ready."""
    return any(p.name == name and p.phase == "Running" and all(c.ready for c in p.containers) for p in around.pods)


def is_well_now(event: Event, around: Cluster) -> bool:
    """Whether the node or deployment that an event is about is known to be ready, with all it wants."""
    nodes = [n for n in around.nodes if n.name == event.name and event.kind == "Node"]
    ready = any(c.type == "Ready" and c.status == "True" for n in nodes for c in n.conditions)
    short = [w for w in around.workloads if w.name == event.name and w.kind == event.kind and w.desired]
    return ready or (bool(short) and all((w.available or 0) >= (w.desired or 0) for w in short))


def entity_of(event: Event, around: Cluster) -> str:
    """The workload, node or other object that an event is about."""
    if event.kind == "Pod":
        plain = by_name(event.name)
        return plain if plain != event.name else among(plain, (w.name for w in around.workloads)) or plain
    return without_hash(event.name) if event.kind.lower() == "replicaset" else event.name


def _statement(event: Event, around: Cluster) -> str:
    times = f" ({event.count} times)" if event.count > 1 else ""
    about = f"{event.kind.lower()} {event.name}: " if event.name else ""
    pod = next((p for p in around.pods if p.name == event.name), None)
    asks = selected(pod, around) if pod and event.reason == "FailedScheduling" else ""
    return f"{about}{event.reason}{times}: {event.message}{asks}"
