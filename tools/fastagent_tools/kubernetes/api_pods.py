"""Pods and their containers as the API prints them."""

from collections.abc import Mapping

from fastagent_tools.kubernetes.model import Condition, Container, Ending, Pod, Probe
from fastagent_tools.kubernetes.naming import workload_of
from fastagent_tools.text.fields import Json, items, mapping, pairs, text, whole, words

_STATES = ("waiting", "terminated", "running")
_PROBES = ("liveness", "readiness", "startup")


def pod(value: Json, name: str, namespace: str) -> Pod:
    """A pod with its containers' specification and state side by side."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    labels = pairs(value, "metadata", "labels") or pairs(value, "labels")
    owner = next(iter(items(mapping(value, "metadata"), "ownerReferences")), {})
    return Pod(
        name=name,
        namespace=namespace,
        phase=text(status, "phase") or text(value, "phase", "status"),
        reason=text(status, "reason") or text(value, "reason"),
        message=text(status, "message") or text(value, "message"),
        owner=workload_of(name, labels, text(owner, "kind"), text(owner, "name")),
        node=text(spec, "nodeName") or text(value, "node_name", "nodeName", "node"),
        labels=labels,
        selector=pairs(spec, "nodeSelector"),
        containers=_containers(value, spec, status),
        conditions=tuple(condition(c) for c in items(status, "conditions") or items(value, "conditions")),
    )


def _containers(value: Json, spec: Json, status: Json) -> tuple[Container, ...]:
    found: list[Container] = []
    for listed, states, init in (
        ("initContainers", "initContainerStatuses", True),
        ("containers", "containerStatuses", False),
    ):
        seen = {text(s, "name"): s for s in items(status, states)}
        found += [container(c, seen.pop(text(c, "name"), {}), init=init) for c in items(spec, listed)]
        found += [container({}, rest, init=init) for rest in seen.values()]
    if not found:  # simplified: specification and state in one
        found = [container(c, c) for c in items(value, "containers", "container_statuses")]
    return tuple(found)


def container(spec: Json, status: Json, *, init: bool = False) -> Container:
    """A container from its specification and its status; either may be empty."""
    state, said = _state(mapping(status, "state"))
    ended = _ending(said) if state == "terminated" else _ending_before(status)
    ready = status.get("ready")
    return Container(
        name=text(spec, "name") or text(status, "name"),
        image=text(spec, "image") or text(status, "image"),
        init=init,
        ready=ready if isinstance(ready, bool) else None,
        restarts=whole(status, "restartCount", "restart_count", "restarts") or 0,
        state=state,
        reason=text(said, "reason"),
        message=text(said, "message"),
        ended=ended,
        limits=pairs(spec, "resources", "limits"),
        ports=tuple(_port(p) for p in items(spec, "ports")),
        probes=tuple(p for p in (_probe(kind, mapping(spec, f"{kind}Probe")) for kind in _PROBES) if p),
        command=" ".join((*words(spec, "command"), *words(spec, "args"))),
    )


def _state(value: Json) -> tuple[str, Json]:
    """The state's name and what is said of it, also where both stand on one level."""
    for name in _STATES:
        if said := value.get(name):
            return name, said if isinstance(said, Mapping) else value
    return "", {}


def _ending_before(status: Json) -> Ending | None:
    value = mapping(status, "lastState") or mapping(status, "last_state") or mapping(status, "lastTerminationState")
    said = mapping(value, "terminated") or (value if "exit_code" in value or "exitCode" in value else {})
    return _ending(said) if said else None


def _ending(said: Json) -> Ending:
    code = whole(said, "exitCode", "exit_code")
    at = text(said, "finishedAt", "finished_at")
    return Ending(text(said, "reason"), code, at, text(said, "message"))


def _port(value: Json) -> str:
    number = text(value, "containerPort", "container_port")
    name = text(value, "name")
    return f"{name}={number}" if name else number


def _probe(kind: str, value: Json) -> Probe | None:
    http, tcp, grpc = mapping(value, "httpGet"), mapping(value, "tcpSocket"), mapping(value, "grpc")
    if http:
        port = text(http, "port")
        return Probe(kind, f"http-get :{port}{text(http, 'path') or '/'}", port)
    if tcp or grpc:
        port = text(tcp or grpc, "port")
        return Probe(kind, f"{'tcp' if tcp else 'grpc'} :{port}", port)
    command = words(mapping(value, "exec"), "command")
    return Probe(kind, f"exec {' '.join(command)}") if command else None


def condition(value: Json) -> Condition:
    """A condition of any object."""
    since = text(value, "lastTransitionTime", "last_transition_time")
    return Condition(text(value, "type"), text(value, "status"), text(value, "reason"), text(value, "message"), since)
