"""Deployments and the like, jobs, claims, autoscalers, quotas."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.kubernetes.model import Autoscaler, Claim, Condition, Quota, Workload
from fastagent_tools.kubernetes.naming import without_hash
from fastagent_tools.text.citation import Original
from fastagent_tools.text.quote import shorten

_QUANTITY = re.compile(r"^(\d+(?:\.\d+)?)([a-zA-Z]*)$")
_UNITS = {
    "m": 1e-3,
    "": 1.0,
    "k": 1e3,
    "K": 1e3,
    "Ki": 2**10,
    "M": 1e6,
    "Mi": 2**20,
    "G": 1e9,
    "Gi": 2**30,
    "T": 1e12,
    "Ti": 2**40,
}


def quantity(text: str) -> float | None:
    """A Kubernetes quantity (100m, 2Gi) as a number; None where it is none."""
    match = _QUANTITY.match(text)
    return float(match[1]) * _UNITS[match[2]] if match and match[2] in _UNITS else None


def judge_workload(workload: Workload, original: Original) -> list[Finding]:
    """A job that failed, or a workload with fewer pods than it wants."""
    if workload.kind == "Job":
        return _job(workload, original)
    desired, has = workload.desired, workload.available if workload.available is not None else workload.ready
    said = _conditions(workload.conditions)
    if desired is None or has is None or has >= desired:
        return []
    if workload.kind == "ReplicaSet":
        return []  # its deployment says it
    severity: Severity = "error" if has == 0 else "warning"
    statement = f"{workload.kind.lower()} {workload.name}: {has} of {desired} replicas available{said}{_runs(workload)}"
    return [
        _finding(
            workload,
            original,
            "k8s.deployment.unavailable",
            statement,
            severity,
            0.6 if has == 0 else 0.5,
            f"{desired - has} replicas unavailable",
        )
    ]


def _conditions(conditions: tuple[Condition, ...]) -> str:
    bad = [c for c in conditions if c.status == "False" or c.type == "ReplicaFailure"]
    return "; " + "; ".join(f"{c.reason} {c.message}".strip() for c in bad) if bad else ""


def _job(job: Workload, original: Original) -> list[Finding]:
    failed = any(c.type == "Failed" and c.status == "True" for c in job.conditions)
    if not failed and not (job.failed and not job.succeeded):
        return []
    why = "; ".join(f"{c.reason} {c.message}".strip() for c in job.conditions if c.type == "Failed")
    statement = f"job {job.name} failed: {job.failed} of its pods failed, {job.succeeded} succeeded"
    statement += (f"; {why}" if why else "") + _runs(job)
    return [_finding(job, original, "k8s.job.failed", statement, "error", 0.65, "its pods end in errors", "Failed")]


def _runs(workload: Workload) -> str:
    commands = [c.command for c in workload.containers if c.command]
    return f"; it runs: {shorten(commands[0], 200)}" if commands else ""


def _finding(
    workload: Workload,
    original: Original,
    kind: str,
    statement: str,
    severity: Severity,
    score: float,
    reason: str,
    *needles: str,
) -> Finding:
    name = without_hash(workload.name) if workload.kind == "ReplicaSet" else workload.name
    return original.finding(
        kind, statement, severity, score, reason, entity=name, needles=(*needles, workload.name), after=workload.name
    )


def judge_claim(claim: Claim, original: Original) -> list[Finding]:
    """A claim that has no volume."""
    if claim.phase not in ("Pending", "Lost"):
        return []
    of = f" of storage class {claim.storage_class}" if claim.storage_class else ""
    statement = f"volume claim {claim.name}{of} is {claim.phase}: no volume is bound to it"
    return [
        original.finding(
            "k8s.volume.unbound", statement, "error", 0.75, claim.phase, entity=claim.name, needles=(claim.name,)
        )
    ]


def judge_autoscaler(scaler: Autoscaler, original: Original) -> list[Finding]:
    """An autoscaler that is blind, or at its maximum."""
    found = []
    for condition in scaler.conditions:
        if condition.type in ("ScalingActive", "AbleToScale") and condition.status == "False":
            said = f"autoscaler {scaler.name}: {condition.reason} {condition.message}"
            found.append(_scaling(scaler, original, said, 0.7, "it cannot scale", condition.message))
    if "<unknown>" in scaler.now:
        said = f"autoscaler {scaler.name} does not know its metric ({scaler.now})"
        found.append(_scaling(scaler, original, said, 0.65, "it cannot measure", scaler.now))
    if scaler.most and scaler.replicas and scaler.replicas >= scaler.most and scaler.most != scaler.least:
        said = f"autoscaler {scaler.name} is at its maximum of {scaler.most} replicas {scaler.now}"
        found.append(_scaling(scaler, original, said, 0.55, "no more replicas are allowed", scaler.name))
    return found


def _scaling(scaler: Autoscaler, original: Original, said: str, score: float, reason: str, needle: str) -> Finding:
    return original.finding(
        "k8s.hpa", said, "warning", score, reason, entity=scaler.name, needles=(needle, scaler.name)
    )


def judge_quota(quota: Quota, original: Original) -> list[Finding]:
    """A quota that is used up."""
    used, hard = quantity(quota.used), quantity(quota.hard)
    if used is None or not hard or used < hard:
        return []
    statement = f"quota {quota.name}: {quota.used} of {quota.hard} {quota.resource} used, nothing is left"
    return [
        original.finding(
            "k8s.quota",
            statement,
            "warning",
            0.6,
            "used up",
            entity=quota.name,
            needles=(quota.resource,),
            after=quota.name,
        )
    ]
