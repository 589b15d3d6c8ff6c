"""API objects, in JSON or YAML, as kubectl and cloud services print them: camelCase, snake_case or simplified."""

from collections.abc import Callable, Iterator
from typing import Any

from fastagent_tools.kubernetes.api_pods import condition, container, pod
from fastagent_tools.kubernetes.model import (
    Autoscaler,
    Claim,
    Cluster,
    Event,
    Node,
    Policy,
    Port,
    Quota,
    Service,
    Workload,
)
from fastagent_tools.text.fields import Json, items, mapping, number, pairs, pick, text, whole, words

_MAX_DEPTH = 4  # of lists within lists
_KIND_OF_FIELD = {  # a list under this name holds such objects, where they do not say it themselves
    "pods": "Pod", "deployments": "Deployment", "replicasets": "ReplicaSet", "replica_sets": "ReplicaSet",
    "statefulsets": "StatefulSet", "daemonsets": "DaemonSet", "jobs": "Job", "services": "Service", "nodes": "Node",
    "events": "Event", "warning_events": "Event", "endpoints": "Endpoints",
}  # fmt: skip


def cluster_of(document: Any) -> Cluster:
    """All objects that a document holds, at its top, in its items or in fields named after them."""
    found = Cluster()
    for kind, value in _objects(document, "", _MAX_DEPTH):
        if read := _READERS.get(kind):
            read(found, value, kind)
    return found


def _objects(value: Any, kind: str, depth: int) -> Iterator[tuple[str, Json]]:
    if depth < 0:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _objects(entry, kind, depth - 1)
    elif isinstance(value, dict):
        own = text(value, "kind") or kind
        if own.endswith("List") or ("items" in value and own not in _READERS):
            yield from _objects(value.get("items"), own.removesuffix("List"), depth - 1)
        elif own in _READERS and (value.get("metadata") or "name" in value or "reason" in value):
            yield own, value
        else:
            for name, part in value.items():
                below = _KIND_OF_FIELD.get(str(name).lower(), "")
                if below and isinstance(part, list):
                    yield from _objects(part, below, depth - 1)


def name_of(value: Json) -> str:
    """The object's name."""
    return text(mapping(value, "metadata"), "name") or text(value, "name")


def namespace_of(value: Json) -> str:
    """The object's namespace."""
    return text(mapping(value, "metadata"), "namespace") or text(value, "namespace")


def _pod(found: Cluster, value: Json, _kind: str) -> None:
    found.pods.append(pod(value, name_of(value), namespace_of(value)))


def _event(found: Cluster, value: Json, _kind: str) -> None:
    about = pick(value, "involvedObject", "involved_object", "regarding", "object")
    kind, name = text(about, "kind"), text(about, "name")
    if isinstance(about, str):
        kind, _, name = about.partition("/")
    if not text(value, "reason"):
        return
    found.events.append(
        Event(
            reason=text(value, "reason"),
            message=text(value, "message", "note"),
            type=text(value, "type") or "Warning",
            kind=kind.capitalize() if kind.islower() else kind,
            name=name,
            count=whole(value, "count") or whole(mapping(value, "series"), "count") or 1,
            first=text(value, "firstTimestamp", "first_time", "first_timestamp", "eventTime"),
            last=text(value, "lastTimestamp", "last_time", "last_timestamp", "eventTime"),
        )
    )


def _workload(found: Cluster, value: Json, kind: str) -> None:
    spec, status = mapping(value, "spec"), mapping(value, "status")
    template = mapping(spec, "template")
    desired = whole(spec, "replicas", "completions")
    desired = whole(status, "desiredNumberScheduled") if desired is None else desired
    shown = bool(status) and kind != "Job"
    ready = whole(status, "readyReplicas", "numberReady")
    available = whole(status, "availableReplicas", "numberAvailable")
    found.workloads.append(
        Workload(
            kind=kind,
            name=name_of(value),
            namespace=namespace_of(value),
            desired=whole(value, "desired", "replicas") if desired is None else desired,
            ready=_or_zero(whole(value, "ready") if ready is None else ready, shown),
            available=_or_zero(whole(value, "available") if available is None else available, shown),
            failed=whole(status, "failed") or whole(value, "failed") or 0,
            succeeded=whole(status, "succeeded") or 0,
            suspended=spec.get("suspend") is True,
            labels=pairs(template, "metadata", "labels"),
            containers=tuple(container(c, {}) for c in items(mapping(template, "spec"), "containers")),
            conditions=tuple(condition(c) for c in items(status, "conditions") or items(value, "conditions")),
        )
    )


def _or_zero(count: int | None, shown: bool) -> int | None:
    """The API leaves out counts that are zero."""
    return 0 if count is None and shown else count


def _service(found: Cluster, value: Json, _kind: str) -> None:
    spec = mapping(value, "spec") or value
    ports = tuple(
        Port(text(p, "port"), text(p, "targetPort", "target_port") or text(p, "port"), text(p, "name"))
        for p in items(spec, "ports")
    )
    found.services.append(
        Service(name_of(value), namespace_of(value), text(spec, "type") or "ClusterIP", pairs(spec, "selector"), ports)
    )


def _endpoints(found: Cluster, value: Json, _kind: str) -> None:
    listed = [a for subset in items(value, "subsets") for a in items(subset, "addresses")]
    addresses = tuple(text(a, "ip") for a in listed)
    found.services.append(Service(name_of(value), namespace_of(value), "", endpoints=addresses))


def _node(found: Cluster, value: Json, _kind: str) -> None:
    spec, status = mapping(value, "spec"), mapping(value, "status")
    conditions = tuple(condition(c) for c in items(status, "conditions") or items(value, "conditions"))
    free = pairs(status, "allocatable")
    free = free or {name: text(value, f"allocatable_{name}") for name in ("cpu", "memory", "pods")}
    found.nodes.append(
        Node(
            name=name_of(value),
            conditions=conditions or tuple(condition(c) for c in _flat_conditions(value)),
            labels=pairs(value, "metadata", "labels") or pairs(value, "labels"),
            taints=tuple(_taint(t) for t in items(spec, "taints") or items(value, "taints")),
            unschedulable=spec.get("unschedulable") is True,
            pods_most=whole(free, "pods"),
            free={k: v for k, v in free.items() if v},
        )
    )


def _flat_conditions(value: Json) -> Iterator[Json]:
    """`"ready": "True", "memory_pressure": "False"` beside the name."""
    for field in ("ready", "memory_pressure", "disk_pressure", "pid_pressure", "network_unavailable"):
        if said := text(value, field):
            yield {
                "type": "".join(part.capitalize() for part in field.split("_")).replace("Pid", "PID"),
                "status": said,
            }


def _taint(value: Json) -> str:
    given = text(value, "value")
    return f"{text(value, 'key')}{'=' + given if given else ''}:{text(value, 'effect')}"


def _claim(found: Cluster, value: Json, _kind: str) -> None:
    storage_class = text(mapping(value, "spec"), "storageClassName")
    found.claims.append(Claim(name_of(value), text(mapping(value, "status"), "phase"), storage_class))


def _autoscaler(found: Cluster, value: Json, _kind: str) -> None:
    spec, status = mapping(value, "spec"), mapping(value, "status")
    target = mapping(spec, "scaleTargetRef")
    found.autoscalers.append(
        Autoscaler(
            name=name_of(value),
            target=f"{text(target, 'kind')}/{text(target, 'name')}",
            least=whole(spec, "minReplicas"),
            most=whole(spec, "maxReplicas"),
            replicas=whole(status, "currentReplicas"),
            conditions=tuple(condition(c) for c in items(status, "conditions")),
        )
    )


def _quota(found: Cluster, value: Json, _kind: str) -> None:
    hard, used = pairs(value, "status", "hard"), pairs(value, "status", "used")
    found.quotas += [Quota(name_of(value), r, used.get(r, ""), most) for r, most in hard.items()]


def _policy(found: Cluster, value: Json, _kind: str) -> None:
    spec = mapping(value, "spec")
    types = [t.lower() for t in words(spec, "policyTypes")] or ["ingress"]
    rules = [*items(spec, "ingress"), *items(spec, "egress")]
    ports = {text(p, "port") for rule in rules for p in items(rule, "ports")}
    found.policies.append(
        Policy(
            name=name_of(value),
            selects=pairs(spec, "podSelector", "matchLabels"),
            blocks=tuple(t for t in types if isinstance(spec.get(t, []), list) and not spec.get(t)),
            allows_ports=tuple(sorted(p for p in ports if number(p) is not None)),
        )
    )


_READERS: dict[str, Callable[[Cluster, Json, str], None]] = {
    "Pod": _pod,
    "Event": _event,
    "Service": _service,
    "Endpoints": _endpoints,
    "Node": _node,
    "PersistentVolumeClaim": _claim,
    "HorizontalPodAutoscaler": _autoscaler,
    "ResourceQuota": _quota,
    "NetworkPolicy": _policy,
    **dict.fromkeys(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"), _workload),
}
