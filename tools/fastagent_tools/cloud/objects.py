"""Kubernetes objects as cloud services return them: judged as anywhere, and counted where they are well."""

from collections.abc import Iterator

from fastagent.state import Finding
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.kubernetes.api import cluster_of
from fastagent_tools.kubernetes.judge import judge
from fastagent_tools.kubernetes.model import Cluster, Node, Pod


def judge_objects(document: Document, around: Around) -> list[Finding]:
    """What ails them, and how many are ready."""
    cluster = cluster_of(document.value)
    found = judge(cluster, document.original, around.cluster)
    for said, name, entity in _well(cluster):
        found.append(
            document.original.finding(
                f"cloud.healthy.{name}", said, "info", 0.3, "ready", entity=entity, needles=(entity,)
            )
        )
    return found


def _well(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """Statement, kind and entity for each kind of object of which some are well."""
    pods = [p for p in cluster.pods if _is_ready(p)]
    if pods:
        yield f"{len(pods)} of {len(cluster.pods)} pods are running and ready", "pods", pods[0].owner
    nodes = [n for n in cluster.nodes if _is_well(n)]
    if nodes:
        yield f"{len(nodes)} of {len(cluster.nodes)} nodes are ready and under no pressure", "nodes", nodes[0].name
    whole = [w for w in cluster.workloads if w.desired and (w.available or 0) >= w.desired]
    if whole:
        told = ", ".join(f"{w.name} {w.available} of {w.desired}" for w in whole[:4])
        yield f"deployments have all their replicas available: {told}", "deployments", whole[0].name


def _is_ready(pod: Pod) -> bool:
    return pod.phase in ("Running", "Succeeded") and all(c.ready is not False for c in pod.containers)


def _is_well(node: Node) -> bool:
    return all((c.status == "True") == (c.type == "Ready") for c in node.conditions)
