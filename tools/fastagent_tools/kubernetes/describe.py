"""`kubectl describe`: pods, nodes, workloads, services, claims, quotas and policies, each with its events."""

import re
from collections.abc import Callable, Mapping, Sequence

from fastagent_tools.kubernetes.describe_pods import containers, pod
from fastagent_tools.kubernetes.model import (
    Claim,
    Cluster,
    Condition,
    Event,
    Node,
    Policy,
    Port,
    Quota,
    Service,
    Workload,
)
from fastagent_tools.kubernetes.sections import Section, sections, table
from fastagent_tools.text.fields import whole

_BEGIN = re.compile(r"^Name:\s+\S")
_QUOTA = re.compile(r"^Resource\s+Used\s+Hard\s*$")
_COUNTED = re.compile(r"\(x(\d+)(?: over (\S+))?\)")
_REPLICAS = re.compile(r"(\d+) desired.*?(?:(\d+) available)?(?: \| \d+ unavailable)?$")
_STATUSES = re.compile(r"(?:(\d+) \w+(?: \(\d+ Ready\))? / )?(\d+) Succeeded / (\d+) Failed")
Sections = Mapping[str, Section]


def cluster_of_description(lines: Sequence[str]) -> Cluster:
    """The objects of a description, one after the other."""
    found = Cluster()
    starts = [i for i, line in enumerate(lines) if _BEGIN.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        described = sections(lines[start:end])
        kind = "ResourceQuota" if any(map(_QUOTA.match, lines[start:end])) else _kind(described)
        if kind:
            _READERS[kind](found, described)
        events = described.get("Events")
        named = _workload_kind(described) if kind == "Workload" else kind
        found.events += _events(events, named, described["Name"].value) if events else []
    return found


def _kind(described: Sections) -> str:
    has = described.keys()
    for needed, kind in _SIGNS:
        if needed <= has:
            return kind
    return ""


def _events(section: Section, kind: str, name: str) -> list[Event]:
    found = []
    for cells in table(section.body, 5):
        if len(cells) == 5:
            counted = _COUNTED.search(cells[2])
            count = int(counted[1]) if counted else 1
            found.append(Event(cells[1], cells[4], cells[0], kind, name, count, last=cells[2]))
    return found


def _pod(found: Cluster, described: Sections) -> None:
    found.pods.append(pod(described))


def _node(found: Cluster, described: Sections) -> None:
    runs = re.search(r"\((\d+) in total\)", described["Non-terminated Pods"].value)
    most = described["Allocatable"].child("pods") if "Allocatable" in described else ""
    rows = table(described["Conditions"].body, 6) if "Conditions" in described else []
    taints = described["Taints"].entries() if "Taints" in described else []
    found.nodes.append(
        Node(
            name=described["Name"].value,
            conditions=tuple(Condition(r[0], r[1], r[4], r[5]) for r in rows if len(r) == 6),
            labels=_labels(described.get("Labels")),
            taints=tuple(taints),
            unschedulable="Unschedulable" in described and described["Unschedulable"].value == "true",
            pods=int(runs[1]) if runs else None,
            pods_most=whole(most),
        )
    )


def _workload(found: Cluster, described: Sections) -> None:
    counts = _REPLICAS.search(described["Replicas"].value) if "Replicas" in described else None
    statuses = described.get("Pods Statuses") or described.get("Pods Status")
    ended = _STATUSES.search(statuses.value) if statuses else None
    template = described["Pod Template"].below() if "Pod Template" in described else {}
    rows = table(described["Conditions"].body, 3) if "Conditions" in described else []
    found.workloads.append(
        Workload(
            kind=_workload_kind(described),
            name=described["Name"].value,
            namespace=described["Namespace"].value if "Namespace" in described else "",
            desired=int(counts[1]) if counts else None,
            available=whole(counts[2]) if counts else None,
            failed=int(ended[3]) if ended and "Parallelism" in described else 0,
            succeeded=int(ended[2]) if ended else 0,
            labels=_labels(template.get("Labels")),
            containers=tuple(containers(template)),
            conditions=tuple(Condition(*row) for row in rows if 2 <= len(row) <= 3),
        )
    )


def _workload_kind(described: Sections) -> str:
    if "Parallelism" in described:
        return "Job"
    if "StrategyType" in described:
        return "Deployment"
    if "Desired Number of Nodes Scheduled" in described:
        return "DaemonSet"
    return "ReplicaSet" if "Controlled By" in described else "StatefulSet"


def _service(found: Cluster, described: Sections) -> None:
    port = described["Port"].value.split()[-1].partition("/")[0] if "Port" in described else ""
    target = described["TargetPort"].value.partition("/")[0] if "TargetPort" in described else ""
    endpoints = described.get("Endpoints")
    found.services.append(
        Service(
            name=described["Name"].value,
            namespace=described["Namespace"].value if "Namespace" in described else "",
            kind=described["Type"].value,
            selector=_labels(described.get("Selector")),
            ports=(Port(port, target),) if port else (),
            endpoints=tuple(a for e in endpoints.entries() for a in e.split(",")) if endpoints else None,
        )
    )


def _claim(found: Cluster, described: Sections) -> None:
    found.claims.append(Claim(described["Name"].value, described["Status"].value, described["StorageClass"].value))


def _quota(found: Cluster, described: Sections) -> None:
    lines = [line for section in described.values() for line in section.body]
    for line in lines:
        cells = line.split()
        if len(cells) == 3 and set(line.strip()) - {"-", " "}:
            found.quotas.append(Quota(described["Name"].value, *cells))


def _policy(found: Cluster, described: Sections) -> None:
    spec = described["Spec"].below()
    blocks = []
    for direction in ("ingress", "egress"):
        allowed = spec.get(f"Allowing {direction} traffic")
        if allowed and any("are isolated" in line for line in (allowed.value, *allowed.body)):
            blocks.append(direction)
    selects = spec.get("PodSelector")
    found.policies.append(Policy(described["Name"].value, _labels(selects), tuple(blocks)))


def _labels(section: Section | None) -> dict[str, str]:
    entries = [part for entry in section.entries() for part in entry.split(",")] if section else []
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


_SIGNS: tuple[tuple[set[str], str], ...] = (
    ({"Non-terminated Pods"}, "Node"),
    ({"Pod Template"}, "Workload"),
    ({"Status", "StorageClass", "Used By"}, "PersistentVolumeClaim"),
    ({"Type", "Port", "Endpoints"}, "Service"),
    ({"Containers", "Status"}, "Pod"),
    ({"Spec"}, "NetworkPolicy"),
)
_READERS: dict[str, Callable[[Cluster, Sections], None]] = {
    "Node": _node,
    "Workload": _workload,
    "PersistentVolumeClaim": _claim,
    "Service": _service,
    "Pod": _pod,
    "NetworkPolicy": _policy,
    "ResourceQuota": _quota,
}
