"""What readers make of Kubernetes objects, however they were printed. Whatever was not shown is empty or None."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class Probe:
    """How the kubelet asks a container whether it is well. `port` is a number or a name."""

    kind: str  # liveness, readiness, startup
    asks: str
    port: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a container ended: now, or the last time."""

    reason: str = ""
    exit_code: int | None = None
    at: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Container:
    """A container of a pod, or of a template. `state` is waiting, running, terminated or "" (not shown)."""

    name: str = ""
    image: str = ""
    init: bool = False
    ready: bool | None = None
    restarts: int = 0
    restarted_ago: str = ""
    state: str = ""
    reason: str = ""
    message: str = ""
    ended: Ending | None = None
    limits: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[str, ...] = ()
    probes: tuple[Probe, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a pod, node or workload."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod. `owner` is the workload behind it as people name it: a Deployment rather than its ReplicaSet."""

    name: str
    namespace: str = ""
    phase: str = ""
    reason: str = ""
    message: str = ""
    owner: str = ""
    node: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    selector: Mapping[str, str] = field(default_factory=dict)  # for nodes
    containers: tuple[Container, ...] = ()
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event. `count` is how often it was seen."""

    reason: str
    message: str
    type: str = "Warning"
    kind: str = ""  # of the object
    name: str = ""  # of the object
    count: int = 1
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job."""

    kind: str
    name: str
    namespace: str = ""
    desired: int | None = None
    ready: int | None = None
    available: int | None = None
    failed: int = 0
    succeeded: int = 0
    suspended: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)  # of its pods
    containers: tuple[Container, ...] = ()
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a service; `target` is a container's port, by number or name."""

    port: str
    target: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Service:
    """A service. `endpoints` is None where they were not shown."""

    name: str
    namespace: str = ""
    kind: str = "ClusterIP"
    selector: Mapping[str, str] = field(default_factory=dict)
    ports: tuple[Port, ...] = ()
    endpoints: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node. `pods` runs on it, of at most `pods_most`."""

    name: str
    conditions: tuple[Condition, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    unschedulable: bool = False
    pods: int | None = None
    pods_most: int | None = None
    free: Mapping[str, str] = field(default_factory=dict)  # allocatable


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim for a volume."""

    name: str
    phase: str
    storage_class: str = ""


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """A horizontal pod autoscaler; `now` is what it measures as printed."""

    name: str
    target: str = ""
    now: str = ""
    least: int | None = None
    most: int | None = None
    replicas: int | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Quota:
    """One resource of a quota."""

    name: str
    resource: str
    used: str
    hard: str


@dataclass(frozen=True, slots=True)
class Policy:
    """A network policy; `blocks` are the directions (ingress, egress) in which it allows nothing."""

    name: str
    selects: Mapping[str, str] = field(default_factory=dict)
    blocks: tuple[str, ...] = ()
    allows_ports: tuple[str, ...] = ()


@dataclass(slots=True)
class Cluster:
    """All objects of one output, in the order of printing."""

    pods: list[Pod] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    autoscalers: list[Autoscaler] = field(default_factory=list)
    quotas: list[Quota] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts())

    def add(self, other: "Cluster") -> None:
        """Take over another output's objects."""
        for mine, theirs in zip(self.parts(), other.parts(), strict=True):
            mine.extend(theirs)

    def parts(self) -> Iterator[list[object]]:
        """The lists, one a kind of object."""
        return (getattr(self, f.name) for f in fields(self))
