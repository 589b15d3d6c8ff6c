"""What is well among the objects: evidence too, where an alarm turns out to be a false one."""

from collections.abc import Iterator

from fastagent_tools.kubernetes.model import Cluster, Node, Pod


def well(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """Statement, name of the kind, and entity for each kind of object of which some are well."""
    pods = [p for p in cluster.pods if _is_ready(p)]
    if pods:
        yield f"{len(pods)} of {len(cluster.pods)} pods are running and ready", "pods", pods[0].owner or pods[0].name
    nodes = [n for n in cluster.nodes if _is_well(n)]
    if nodes:
        yield f"{len(nodes)} of {len(cluster.nodes)} nodes are ready and under no pressure", "nodes", nodes[0].name
    whole = [w for w in cluster.workloads if w.desired and _has(w.available, w.ready) >= w.desired]
    if whole:
        told = ", ".join(f"{w.name} {_has(w.available, w.ready)} of {w.desired}" for w in whole[:4])
        yield f"deployments have all their replicas available: {told}", "deployments", whole[0].name


def _has(available: int | None, ready: int | None) -> int:
    return available if available is not None else ready or 0


def _is_ready(pod: Pod) -> bool:
    return pod.phase in ("Running", "Succeeded") and all(c.ready is not False for c in pod.containers)


def _is_well(node: Node) -> bool:
    return all((c.status == "True") == (c.type == "Ready") for c in node.conditions)
