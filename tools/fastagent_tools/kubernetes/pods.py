"""Pods: evicted, lost, not to be scheduled, and whatever is wrong with their containers."""

from fastagent.state import Finding, Severity
from fastagent_tools.kubernetes.containers import verdicts
from fastagent_tools.kubernetes.messages import is_over, meaning_of
from fastagent_tools.kubernetes.model import Cluster, Pod
from fastagent_tools.text.citation import Original


def judge_pod(pod: Pod, original: Original, around: Cluster) -> list[Finding]:
    """All that is wrong with a pod. A running, ready one says at most what its containers went through."""
    found = _whole(pod, original, around)
    for container in pod.containers:
        orderly = pod.phase == "Terminating" or is_over(container.message)
        for v in verdicts(container, orderly=orderly):
            found.append(_finding(pod, original, v.kind, v.said, v.severity, v.score, v.reason, *v.needles))
    return found


def _whole(pod: Pod, original: Original, around: Cluster) -> list[Finding]:
    """What holds for the pod as such."""
    if pod.reason == "Evicted":
        why = f": {pod.message}" if pod.message else ""
        return [_finding(pod, original, "k8s.pod.evicted", f"was evicted{why}", "error", 0.85, "Evicted", pod.message)]
    for condition in pod.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            return [_unscheduled(pod, condition.message, original, around)]
        if condition.reason == "NodeLost" or (condition.type == "Ready" and condition.status == "Unknown"):
            return [_lost(pod, condition.message or condition.reason, original)]
    if pod.phase == "Unknown":
        return [_lost(pod, "phase Unknown", original)]
    if pod.phase == "Failed" and not any(c.ended for c in pod.containers):
        said = f"failed: {pod.reason} {pod.message}".strip()
        return [_finding(pod, original, "k8s.container.exit", said, "error", 0.6, "phase Failed", pod.message)]
    if pod.phase == "Pending" and not any(c.reason for c in pod.containers):
        said = "is pending: it is not yet scheduled or started"
        return [_finding(pod, original, "k8s.pod.pending", said, "warning", 0.45, "phase Pending")]
    return []


def _lost(pod: Pod, why: str, original: Original) -> Finding:
    said = f"runs on {pod.node or 'a node'} which no longer answers: {why}"
    return _finding(pod, original, "k8s.pod.lost", said, "error", 0.7, "its node is lost", why, "Unknown")


def _unscheduled(pod: Pod, message: str, original: Original, around: Cluster) -> Finding:
    said = meaning_of("FailedScheduling", message) if message else None
    kind = said.kind if said and said.kind.startswith("k8s.pod.pending") else "k8s.pod.pending"
    if not message and pod.selector:
        kind = "k8s.pod.pending.selector"
    statement = "is pending (Unschedulable)" + (f": {message}" if message else "") + selected(pod, around)
    needles = (message, "Node-Selectors:", "nodeSelector", "PodScheduled")
    return _finding(pod, original, kind, statement, "error", said.score if said else 0.7, "no node takes it", *needles)


def selected(pod: Pod, around: Cluster) -> str:
    """The labels that a pod asks of its node, and whether any known node carries them."""
    if not pod.selector:
        return ""
    wanted = ", ".join(f"{k}={v}" for k, v in pod.selector.items())
    labelled = [n for n in around.nodes if n.labels]
    fits = any(all(n.labels.get(k) == v for k, v in pod.selector.items()) for n in labelled)
    known = f", which none of the {len(labelled)} nodes carries as a label" if labelled and not fits else ""
    return f"; its node selector asks for {wanted}{known}"


def _finding(
    pod: Pod, original: Original, kind: str, said: str, severity: Severity, score: float, reason: str, *needles: str
) -> Finding:
    return original.finding(
        kind, f"pod {pod.name} {said}", severity, score, reason,
        entity=pod.owner or pod.name, needles=(*needles, pod.name), after=pod.name,
    )  # fmt: skip
