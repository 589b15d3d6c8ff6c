"""Kubernetes objects as cloud services return them: judged as anywhere, and counted where they are well."""

from fastagent.state import Finding
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.kubernetes.api import cluster_of
from fastagent_tools.kubernetes.health import well
from fastagent_tools.kubernetes.judge import judge


def judge_objects(document: Document, around: Around) -> list[Finding]:
    """What ails them, and how many are ready."""
    cluster = cluster_of(document.value)
    found = judge(cluster, document.original, around.cluster)
    for said, name, entity in well(cluster):
        kind, needles = f"cloud.healthy.{name}", (entity,)
        found.append(document.original.finding(kind, said, "info", 0.3, "ready", entity=entity, needles=needles))
    return found
