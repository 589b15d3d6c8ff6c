"""Rows of `kubectl get` and `kubectl events` as objects."""

import re
from collections.abc import Callable, Mapping, Sequence

from fastagent_tools.kubernetes.model import (
    Autoscaler,
    Claim,
    Cluster,
    Condition,
    Container,
    Event,
    Node,
    Pod,
    Port,
    Service,
    Workload,
)
from fastagent_tools.kubernetes.naming import workload_of
from fastagent_tools.kubernetes.tables import Row
from fastagent_tools.text.fields import whole

_BARE_POD = re.compile(  # without header, as grep leaves it
    r"^(?:(?P<namespace>[a-z0-9-]+)\s+)?(?P<name>[a-z0-9][a-z0-9.-]+)\s+(?P<ready>\d+/\d+)\s+(?P<status>[A-Z][\w:/-]*)"
    r"\s+(?P<restarts>\d+(?: \(\S+ ago\))?)\s+(?P<age>\d+\w*)\b(?P<rest>.*)$"
)
_MAX_LINE = 8_000  # characters; no row of a table is as long
_RESTARTS = re.compile(r"(\d+)(?:\s*\((\S+) ago\))?")
_PHASES = {"Running", "Pending", "Succeeded", "Completed", "Failed", "Unknown", "Terminating", "Evicted"}
_COUNTED = re.compile(r"\(x(\d+)(?: over (\S+))?\)")


def labels_of(text: str) -> dict[str, str]:
    """`a=b,c=d` as a mapping."""
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


def cluster_of_rows(rows: Sequence[Row], command: str) -> Cluster:
    """The objects of one table; what they are is told by its columns."""
    found = Cluster()
    columns = set(rows[0].cells)
    make = next((make for needed, make in _MAKERS if needed <= columns), None)
    make = None if make is _workload and "STATUS" in columns else make  # a tree of owners, of other tools
    for row in rows if make else ():
        if make:
            make(found, row, command)
    return found


def bare_pods(lines: Sequence[str]) -> Cluster:
    """Rows of pods without their header."""
    found = Cluster()
    for line in lines:
        if match := _BARE_POD.match(line[:_MAX_LINE]):
            last = match["rest"].split()[-1:]
            cells = {
                "NAMESPACE": match["namespace"] or "", "NAME": match["name"], "READY": match["ready"],
                "STATUS": match["status"], "RESTARTS": match["restarts"], "LABELS": last[0] if last else "",
            }  # fmt: skip
            _pod(found, Row(cells, line), "")
    return found


def _pod(found: Cluster, row: Row, _command: str) -> None:
    status = row.get("STATUS")
    labels = labels_of(row.get("LABELS"))
    ready, _, of = row.get("READY").partition("/")
    restarts = _RESTARTS.match(row.get("RESTARTS"))
    init = status.startswith("Init:")
    reason = status.removeprefix("Init:")
    shown = Container(
        ready=ready == of if of else None,
        init=init,
        restarts=int(restarts[1]) if restarts else 0,
        restarted_ago=(restarts[2] or "") if restarts else "",
        state="running" if reason == "Running" else "" if reason in _PHASES else "waiting",
        reason="" if reason in _PHASES else reason,
    )
    found.pods.append(
        Pod(
            name=row.name,
            namespace=row.get("NAMESPACE"),
            phase=status if status in _PHASES else "",
            reason="Evicted" if status == "Evicted" else "",
            owner=workload_of(row.name, labels),
            node=row.get("NODE"),
            labels=labels,
            containers=(shown,),
        )
    )


def _event(found: Cluster, row: Row, _command: str) -> None:
    kind, _, name = row.get("OBJECT").partition("/")
    counted = _COUNTED.search(row.get("LAST SEEN", "AGE"))
    count = whole(row.get("COUNT")) or (int(counted[1]) if counted else 1)
    found.events.append(
        Event(
            reason=row.get("REASON"),
            message=row.get("MESSAGE"),
            type=row.get("TYPE") or "Warning",
            kind=row.get("KIND") or kind.partition(".")[0].capitalize(),
            name=name or row.get("NAME"),
            count=count,
        )
    )


def _workload(found: Cluster, row: Row, command: str) -> None:
    ready, _, of = row.get("READY").partition("/")
    kind = row.get("NAME").partition(".")[0].partition("/")[0] if "/" in row.get("NAME") else ""
    found.workloads.append(
        Workload(
            kind=_kind(kind or command, row.cells),
            name=row.name,
            namespace=row.get("NAMESPACE"),
            desired=whole(of or row.get("DESIRED")),
            ready=whole(ready),
            available=whole(row.get("AVAILABLE")),
        )
    )


def _kind(said: str, cells: Mapping[str, str]) -> str:
    if "UP-TO-DATE" in cells:
        return "DaemonSet" if "DESIRED" in cells else "Deployment"
    return "ReplicaSet" if "DESIRED" in cells else "StatefulSet" if re.search(r"\bsts|stateful", said) else "Workload"


def _job(found: Cluster, row: Row, _command: str) -> None:
    done, _, of = row.get("COMPLETIONS").partition("/")
    failed = 1 if row.get("STATUS") == "Failed" else 0
    conditions = (Condition("Failed", "True"),) if failed else ()
    found.workloads.append(
        Workload("Job", row.name, desired=whole(of), succeeded=whole(done) or 0, failed=failed, conditions=conditions)
    )


def _service(found: Cluster, row: Row, _command: str) -> None:
    ports = tuple(Port(p.partition("/")[0].partition(":")[0], "") for p in row.get("PORT(S)").split(",") if p)
    selector = labels_of(row.get("SELECTOR"))
    found.services.append(Service(row.name, row.get("NAMESPACE"), row.get("TYPE"), selector, ports))


def _endpoints(found: Cluster, row: Row, _command: str) -> None:
    addresses = tuple(a for a in row.get("ENDPOINTS").split(",") if a)
    name = row.name.rpartition("-")[0] if row.get("ADDRESSTYPE") else row.name  # a slice: <service>-<suffix>
    found.services.append(Service(name, row.get("NAMESPACE"), "", endpoints=addresses))


def _node(found: Cluster, row: Row, _command: str) -> None:
    status = row.get("STATUS").split(",")
    ready = {"Ready": "True", "NotReady": "False"}.get(status[0], "Unknown")
    found.nodes.append(
        Node(
            row.name,
            (Condition("Ready", ready),),
            labels_of(row.get("LABELS")),
            unschedulable="SchedulingDisabled" in status,
        )
    )


def _claim(found: Cluster, row: Row, _command: str) -> None:
    found.claims.append(Claim(row.name, row.get("STATUS"), row.get("STORAGECLASS")))


def _autoscaler(found: Cluster, row: Row, _command: str) -> None:
    found.autoscalers.append(
        Autoscaler(
            row.name, row.get("REFERENCE"), row.cells.get("TARGETS", ""), whole(row.get("MINPODS")),
            whole(row.get("MAXPODS")), whole(row.get("REPLICAS")),
        )
    )  # fmt: skip


_MAKERS: tuple[tuple[set[str], Callable[[Cluster, Row, str], None]], ...] = (
    ({"NAME", "READY", "STATUS", "RESTARTS"}, _pod),
    ({"REASON", "MESSAGE"}, _event),
    ({"NAME", "COMPLETIONS"}, _job),
    ({"NAME", "REFERENCE", "TARGETS"}, _autoscaler),
    ({"NAME", "TYPE", "CLUSTER-IP"}, _service),
    ({"NAME", "ENDPOINTS"}, _endpoints),
    ({"NAME", "STATUS", "ROLES", "VERSION"}, _node),
    ({"NAME", "STATUS", "VOLUME", "STORAGECLASS"}, _claim),
    ({"NAME", "DESIRED", "READY"}, _workload),
    ({"NAME", "READY", "AGE"}, _workload),
)
