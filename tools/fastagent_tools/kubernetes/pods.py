"""Pods: why one does not run, does not start or does not take requests."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.citation import Original
from fastagent_tools.kubernetes.exits import meaning
from fastagent_tools.kubernetes.messages import is_over, meaning_of
from fastagent_tools.kubernetes.model import Cluster, Container, Pod, Probe
from fastagent_tools.logs.quote import shorten

_CONFIG = {
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "ContainerCannotRun",
    "StartError",
}
_IMAGE = {"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"}
_ENDED_WELL = {"Completed", "Succeeded", ""}
_TINY_CPU_M = 50  # millicores: below that nearly everything is throttled
_MAX_COMMAND = 130
_RECENT = re.compile(r"\d+s$|1?\dm(\d+s)?$")  # below 20 minutes, as kubectl prints ages


def judge_pod(pod: Pod, original: Original, around: Cluster) -> list[Finding]:
    """All that is wrong with a pod. A running, ready one says at most what its containers went through."""
    found = _whole_pod(pod, original, around)
    for container in pod.containers:
        found += _container(pod, container, original)
        found += _probes(pod, container, original)
    return found


def _whole_pod(pod: Pod, original: Original, around: Cluster) -> list[Finding]:
    if pod.reason == "Evicted":
        why = f": {pod.message}" if pod.message else ""
        return [_finding(pod, original, "k8s.pod.evicted", f"was evicted{why}", "error", 0.85, "Evicted", pod.message)]
    for condition in pod.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            return [_unscheduled(pod, condition.message, original, around)]
        if condition.reason == "NodeLost" or (condition.type == "Ready" and condition.status == "Unknown"):
            said = f"runs on {pod.node or 'a node'} which no longer answers: {condition.message or condition.reason}"
            return [_finding(pod, original, "k8s.pod.lost", said, "error", 0.7, "its node is lost", condition.message)]
    if pod.phase == "Failed" and not any(c.ended for c in pod.containers):
        said = f"failed: {pod.reason} {pod.message}".strip()
        return [_finding(pod, original, "k8s.container.exit", said, "error", 0.6, "phase Failed", pod.message)]
    if pod.phase == "Pending" and not any(c.reason for c in pod.containers):
        said = "is pending: it is not yet scheduled or started"
        return [_finding(pod, original, "k8s.pod.pending", said, "warning", 0.45, "phase Pending", "")]
    return []


def _unscheduled(pod: Pod, message: str, original: Original, around: Cluster) -> Finding:
    said = meaning_of("FailedScheduling", message) if message else None
    kind = said.kind if said and said.kind.startswith("k8s.pod.pending") else "k8s.pod.pending"
    statement = "is pending (Unschedulable)" + (f": {message}" if message else "") + selected(pod, around)
    if not message and pod.selector:
        kind = "k8s.pod.pending.selector"
    return _finding(pod, original, kind, statement, "error", said.score if said else 0.7, "no node takes it", message)


def selected(pod: Pod, around: Cluster) -> str:
    """The labels that a pod asks of its node, and whether any known node carries them."""
    if not pod.selector:
        return ""
    wanted = ", ".join(f"{k}={v}" for k, v in pod.selector.items())
    labelled = [n for n in around.nodes if n.labels]
    fits = any(all(n.labels.get(k) == v for k, v in pod.selector.items()) for n in labelled)
    known = f", which none of the {len(labelled)} nodes carries as a label" if labelled and not fits else ""
    return f"; its node selector asks for {wanted}{known}"


def _container(pod: Pod, container: Container, original: Original) -> list[Finding]:
    reason = container.reason
    terminating = pod.phase == "Terminating" or is_over(container.message)
    if reason in _IMAGE:
        image = container.image or _image_in(container.message)
        said = f"cannot pull its image {image}".rstrip() + f" ({reason})" + _because(container.message, image)
        return [_finding(pod, original, "k8s.pod.image_pull", said, "error", 0.9, reason, container.message, reason)]
    if reason in _CONFIG:
        said = f"cannot start{_named(container)}: {reason} {container.message}"
        kind = _kind_of(container.message, "k8s.pod.config_error")
        return [_finding(pod, original, kind, said, "error", 0.92, reason, container.message, reason)]
    ended = container.ended
    if "OOMKilled" in (reason, ended.reason if ended else ""):
        return [_oom(pod, container, original)]
    if container.init and reason not in ("", "PodInitializing", "Completed") and container.state != "running":
        said = f"does not get past its init container{_plain(container)}: {reason}{_exit(container)}{_runs(container)}"
        return [_finding(pod, original, "k8s.pod.init", said, "error", 0.8, "an init container fails", reason)]
    if reason == "CrashLoopBackOff":
        severity: Severity = "info" if terminating else "error"
        orderly = ", during an orderly end of the pod" if terminating else ""
        said = f"is in CrashLoopBackOff{orderly},{_named(container)} restarted {_times(container.restarts)}"
        said += _exit(container) + _runs(container)
        return [
            _finding(pod, original, "k8s.pod.crash_loop", said, severity, 0.2 if terminating else 0.8, reason, reason)
        ]
    return _ending(pod, container, original)


def _ending(pod: Pod, container: Container, original: Original) -> list[Finding]:
    """A container that ended badly, now or before its present life."""
    ended = container.ended
    if container.reason in ("Error", "Failed", "ContainerStatusUnknown") or (
        ended and container.state == "terminated" and (ended.exit_code or ended.reason not in _ENDED_WELL)
    ):
        why = container.reason or (ended.reason if ended else "")
        said = f"ended in an error ({why or 'unknown'}){_named(container)}{_exit(container)}{_runs(container)}"
        return [
            _finding(
                pod,
                original,
                "k8s.container.exit",
                said,
                "error",
                0.7,
                "it ended in an error",
                "Exit Code",
                container.reason,
            )
        ]
    if container.restarts and container.state in ("running", "") and container.ready is False:
        said = f"is not ready,{_named(container)} restarted {_times(container.restarts)}{_exit(container)}"
        return [
            _finding(
                pod, original, "k8s.pod.restarts", said, "warning", 0.55, "restarts and is not ready", container.name
            )
        ]
    if container.restarts:
        ago = f", the last time {container.restarted_ago} ago" if container.restarted_ago else ""
        said = f"has restarted {_times(container.restarts)}{ago}{_exit(container)} and runs now"
        recent = bool(_RECENT.match(container.restarted_ago)) and container.restarts >= 3
        severity: Severity = "warning" if recent else "info"
        return [
            _finding(
                pod,
                original,
                "k8s.pod.restarts",
                said,
                severity,
                0.45 if recent else 0.15,
                "restarts by themselves are no fault",
                container.name,
            )
        ]
    if container.ready is False and container.state == "running" and not container.init:
        said = f"runs but is not ready{_named(container)}"
        return [_finding(pod, original, "k8s.pod.probe", said, "warning", 0.55, "not ready", "Ready", container.name)]
    return _limits(pod, container, original)


def _oom(pod: Pod, container: Container, original: Original) -> Finding:
    limit = container.limits.get("memory", "")
    said = f"was OOM-killed (OOMKilled, exit code 137){_named(container)}, restarted {_times(container.restarts)}"
    said += f"; memory limit {limit}" if limit else ""
    runs = container.state == "running" and container.ready is not False
    severity: Severity = "error" if runs else "critical"
    score = 0.75 if runs else 0.93
    return _finding(pod, original, "k8s.pod.oom_killed", said, severity, score, "memory ran out", "OOMKilled")


def _limits(pod: Pod, container: Container, original: Original) -> list[Finding]:
    cpu = container.limits.get("cpu", "")
    if not cpu.endswith("m") or not cpu[:-1].isdigit() or int(cpu[:-1]) > _TINY_CPU_M:
        return []
    said = f"may use at most {cpu} CPU (its limit){_named(container)}: above that it is throttled{_runs(container)}"
    return [
        _finding(
            pod,
            original,
            "k8s.container.cpu_limit",
            said,
            "info",
            0.35,
            f"a CPU limit of {cpu} throttles most programs",
            f"cpu: {cpu}",
            cpu,
        )
    ]


def _probes(pod: Pod, container: Container, original: Original) -> list[Finding]:
    return [_mismatch(pod, container, p, original) for p in container.probes if is_elsewhere(p, container)]


def is_elsewhere(probe: Probe, container: Container) -> bool:
    """Whether a probe asks a port that the container does not declare, while it declares others."""
    known = {part for port in container.ports for part in port.split("=")}
    return bool(known and probe.port and probe.port not in known)


def _mismatch(pod: Pod, container: Container, probe: Probe, original: Original) -> Finding:
    ports = ", ".join(container.ports)
    said = (
        f"{probe.kind} probe asks port {probe.port} ({probe.asks}), but container {container.name} listens on {ports}"
    )
    alarming = container.ready is False
    severity: Severity = "error" if alarming else "info"
    reason = "the probe's port is none of the container's"
    return _finding(
        pod, original, "k8s.pod.probe", said, severity, 0.88 if alarming else 0.3, reason, probe.asks[:30], probe.port
    )


def _finding(
    pod: Pod, original: Original, kind: str, said: str, severity: Severity, score: float, reason: str, *needles: str
) -> Finding:
    return original.finding(
        kind, f"pod {pod.name} {said}", severity, score, reason,
        entity=pod.owner or pod.name, needles=(*needles, pod.name), after=pod.name,
    )  # fmt: skip


def _kind_of(message: str, otherwise: str) -> str:
    said = meaning_of("", message)
    return said.kind if said else otherwise


def _named(container: Container) -> str:
    return f" container {container.name}" if container.name else ""


def _plain(container: Container) -> str:
    return f" {container.name}" if container.name else ""


def _times(count: int) -> str:
    return f"{count} time{'s' * (count != 1)}"


def _exit(container: Container) -> str:
    ended = container.ended
    if not ended or ended.exit_code is None:
        return ""
    words = meaning(ended.exit_code, container.command)
    said = f", exit code {ended.exit_code}" + (f" ({words})" if words else "")
    if ended.exit_code == 0:
        said = ", exit code 0: its program ends by itself, without an error"
    return said + (f": {shorten(ended.message, 120)}" if ended.message else "")


def _runs(container: Container) -> str:
    return f"; it runs: {shorten(container.command, _MAX_COMMAND)}" if container.command else ""


def _because(message: str, image: str) -> str:
    said = message.replace(f'"{image}"', "").strip() if image else message
    return f": {shorten(said, 160)}" if said else ""


def _image_in(message: str) -> str:
    parts = message.split('"')
    return parts[1] if len(parts) > 2 else ""
