"""All findings of a set of objects. `around` holds what other outputs show of the same cluster."""

from dataclasses import replace

from fastagent.state import Finding
from fastagent_tools.kubernetes.events import judge_event
from fastagent_tools.kubernetes.model import Cluster
from fastagent_tools.kubernetes.naming import among
from fastagent_tools.kubernetes.network import judge_policy, judge_service
from fastagent_tools.kubernetes.nodes import judge_node
from fastagent_tools.kubernetes.pods import judge_pod
from fastagent_tools.kubernetes.workloads import judge_autoscaler, judge_claim, judge_quota, judge_workload
from fastagent_tools.text.citation import Original, merged

_MAX_FINDINGS = 1_000  # about pods; of more nobody reads a line, and each is looked up in the text


def judge(cluster: Cluster, original: Original, around: Cluster) -> list[Finding]:
    """What the objects say, the most telling first; healthy ones say nothing."""
    found: list[Finding] = []
    owners = {w.name for w in around.workloads if w.kind not in ("ReplicaSet", "Job")}
    for pod in cluster.pods:
        if len(found) >= _MAX_FINDINGS:
            break
        alone = pod.owner in ("", pod.name)
        known = replace(pod, owner=among(pod.name, owners) or pod.owner) if alone else pod
        found += judge_pod(known, original, around)
    for event in cluster.events[-_MAX_FINDINGS:]:
        found += judge_event(event, original, around)
    for workload in cluster.workloads:
        found += judge_workload(workload, original)
    for service in cluster.services:
        found += judge_service(service, original, around)
    for node in cluster.nodes:
        found += judge_node(node, original)
    for claim in cluster.claims:
        found += judge_claim(claim, original)
    for autoscaler in cluster.autoscalers:
        found += judge_autoscaler(autoscaler, original)
    for quota in cluster.quotas:
        found += judge_quota(quota, original)
    for policy in cluster.policies:
        found += judge_policy(policy, original, around)
    return merged(found)
