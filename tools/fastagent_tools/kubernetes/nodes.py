"""Nodes: not ready, short of something, closed, or full of pods."""

from fastagent.state import Finding, Severity
from fastagent_tools.kubernetes.model import Condition, Node
from fastagent_tools.text.citation import Original

_EXHAUSTED = {"MemoryPressure": "memory", "DiskPressure": "disk", "PIDPressure": "process ids"}


def judge_node(node: Node, original: Original) -> list[Finding]:
    """What is wrong with a node."""
    found = [f for c in node.conditions for f in _condition(node, c, original)]
    if node.unschedulable:
        found.append(
            _finding(
                node,
                original,
                "k8s.node.cordoned",
                "is closed to new pods (cordoned)",
                "warning",
                0.45,
                "unschedulable",
            )
        )
    if node.pods is not None and node.pods_most and node.pods >= node.pods_most:
        said = f"runs {node.pods} pods of at most {node.pods_most}: its pod capacity is used up, it takes no more"
        found.append(
            _finding(node, original, "k8s.node.pods_full", said, "error", 0.8, "too many pods for its maximum", "pods:")
        )
    return found


def _condition(node: Node, condition: Condition, original: Original) -> list[Finding]:
    if condition.type == "Ready" and condition.status in ("False", "Unknown"):
        silent = "its kubelet no longer reports" if condition.status == "Unknown" else "its kubelet says so"
        said = f"is not ready (Ready={condition.status}; {silent}): {condition.reason} {condition.message}"
        return [
            _finding(
                node,
                original,
                "k8s.node.not_ready",
                said.rstrip(": "),
                "critical",
                0.92,
                f"Ready={condition.status}",
                condition.message,
            )
        ]
    if condition.type in _EXHAUSTED and condition.status == "True":
        said = f"is short of {_EXHAUSTED[condition.type]} ({condition.type}): {condition.message}"
        return [
            _finding(
                node,
                original,
                "k8s.node.pressure",
                said.rstrip(": "),
                "error",
                0.85,
                condition.type,
                condition.message,
                condition.type,
            )
        ]
    if condition.type == "NetworkUnavailable" and condition.status == "True":
        said = f"has no network: {condition.message or condition.reason}"
        return [_finding(node, original, "k8s.node.not_ready", said, "critical", 0.9, "no network", condition.message)]
    return []


def _finding(
    node: Node, original: Original, kind: str, said: str, severity: Severity, score: float, reason: str, *needles: str
) -> Finding:
    return original.finding(
        kind, f"node {node.name} {said}", severity, score, reason,
        entity=node.name, needles=(*needles, node.name), after=node.name,
    )  # fmt: skip
