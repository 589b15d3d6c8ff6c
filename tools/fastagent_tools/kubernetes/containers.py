"""Containers: why one does not start, ends, restarts or takes no requests. Rules, the more specific first."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fastagent.state import Severity
from fastagent_tools.kubernetes.exits import meaning
from fastagent_tools.kubernetes.messages import meaning_of
from fastagent_tools.kubernetes.model import Container, Probe
from fastagent_tools.text.quote import shorten

_CONFIG = {
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "ContainerCannotRun",
    "StartError",
}
_IMAGE = {"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"}
_ERRORS = {"Error", "Failed", "ContainerStatusUnknown", "DeadlineExceeded"}
_ENDED_WELL = {"Completed", "Succeeded", ""}
_STARTING = {"ContainerCreating", "PodInitializing"}
_INIT_PROGRESS = re.compile(r"(\d+)/(\d+)$")  # as in Init:0/1
_TINY_CPU_M = 50  # millicores: below that nearly everything is throttled
_LEAST_CPU_M = 20
_CHRONIC = 300  # restarts: a day and more of five-minute back-offs
_RECENT = re.compile(r"\d+s$|1?\dm(\d+s)?$")  # below 20 minutes, as kubectl prints ages
_MAX_COMMAND = 130


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a container. `needles` find the line to quote."""

    kind: str
    said: str
    severity: Severity
    score: float
    reason: str
    needles: tuple[str, ...] = ()


def verdicts(container: Container, *, orderly: bool) -> list[Verdict]:
    """The first rule that holds, and the probes that ask a wrong port. `orderly`: its pod is being ended."""
    first = next((v for rule in _RULES if (v := rule(container, orderly))), None)
    return [v for v in (first, *(_mismatch(container, p) for p in container.probes)) if v]


def _image(container: Container, _orderly: bool) -> Verdict | None:
    if container.reason not in _IMAGE:
        return None
    score = 0.9 if container.image or container.message else 0.86
    quoted = container.message.split('"')
    image = container.image or (quoted[1] if len(quoted) > 2 else "")
    why = container.message.replace(f'"{image}"', "").strip() if image else container.message
    said = (
        f"cannot pull its image {image}".rstrip() + f" ({container.reason})" + (f": {shorten(why, 160)}" if why else "")
    )
    return Verdict("k8s.pod.image_pull", said, "error", score, container.reason, (container.message, container.reason))


def _config(container: Container, _orderly: bool) -> Verdict | None:
    if container.reason not in _CONFIG:
        return None
    meant = meaning_of("", container.message)
    said = f"cannot start{_named(container)}: {container.reason} {container.message}"
    kind = meant.kind if meant else "k8s.pod.config_error"
    return Verdict(kind, said, "error", 0.92, container.reason, (container.message, container.reason))


def _oom(container: Container, _orderly: bool) -> Verdict | None:
    if "OOMKilled" not in (container.reason, container.ended.reason if container.ended else ""):
        return None
    limit = container.limits.get("memory", "")
    said = f"was OOM-killed (OOMKilled, exit code 137){_named(container)}, restarted {_times(container.restarts)}"
    said += f"; memory limit {limit}" if limit else ""
    if container.state == "running" and container.ready is not False:
        return Verdict("k8s.pod.oom_killed", said, "error", 0.75, "memory ran out before", ("OOMKilled",))
    return Verdict("k8s.pod.oom_killed", said, "critical", 0.93, "memory ran out", ("OOMKilled",))


def _init(container: Container, _orderly: bool) -> Verdict | None:
    reason = container.reason
    if not container.init or reason in ("", "Completed", *_STARTING) or container.state == "running":
        return None
    if progress := _INIT_PROGRESS.match(reason):
        said = f"waits for its init containers: {progress[1]} of {progress[2]} are done"
        return Verdict("k8s.pod.init", said, "warning", 0.5, "not yet initialised", (reason,))
    name = f" {container.name}" if container.name else ""
    said = f"does not get past its init container{name}: {reason}{_exit(container)}{_runs(container)}"
    return Verdict("k8s.pod.init", said, "error", 0.8, "an init container fails", (reason,))


def _crash_loop(container: Container, orderly: bool) -> Verdict | None:
    if container.reason != "CrashLoopBackOff":
        return None
    said = f"is in CrashLoopBackOff,{_named(container)} restarted {_times(container.restarts)}"
    said += _exit(container) + _runs(container)
    if orderly:
        reason = "its pod is being ended in good order"
        return Verdict("k8s.pod.crash_loop", said + f"; {reason}", "info", 0.2, reason, (container.reason,))
    if container.restarts > _CHRONIC:
        return Verdict("k8s.pod.crash_loop", said, "error", 0.6, "it has done so for long", (container.reason,))
    score = 0.84 if container.ended else 0.8  # with its exit code it tells more
    return Verdict("k8s.pod.crash_loop", said, "error", score, container.reason, (container.reason,))


def _ended(container: Container, _orderly: bool) -> Verdict | None:
    ended = container.ended
    badly = ended and container.state == "terminated" and (ended.exit_code or ended.reason not in _ENDED_WELL)
    if container.reason not in _ERRORS and not badly:
        return None
    why = container.reason or (ended.reason if ended else "") or "unknown"
    said = f"ended in an error ({why}){_named(container)}{_exit(container)}{_runs(container)}"
    return Verdict("k8s.container.exit", said, "error", 0.7, "it ended in an error", ("Exit Code", why))


def _restarts(container: Container, _orderly: bool) -> Verdict | None:
    if not container.restarts or container.state not in ("running", ""):
        return None
    times = f"{_times(container.restarts)}"
    if container.ready is False:
        said = f"is not ready,{_named(container)} restarted {times}{_exit(container)}"
        return Verdict("k8s.pod.restarts", said, "warning", 0.55, "restarts and is not ready", (container.name,))
    ago = f", the last time {container.restarted_ago} ago" if container.restarted_ago else ""
    said = f"has restarted {times}{ago}{_exit(container)} and runs now"
    if _RECENT.match(container.restarted_ago) and container.restarts >= 3:
        return Verdict("k8s.pod.restarts", said, "warning", 0.45, "the last restart is recent", (container.name,))
    return Verdict("k8s.pod.restarts", said, "info", 0.15, "restarts by themselves are no fault", (container.name,))


def _not_ready(container: Container, _orderly: bool) -> Verdict | None:
    if container.reason in _STARTING:
        said = f"is still being created ({container.reason}){_named(container)} {container.message}".rstrip()
        return Verdict("k8s.pod.pending", said, "warning", 0.35, container.reason, (container.reason,))
    if container.ready is False and container.state == "running" and not container.init:
        said = f"runs but is not ready{_named(container)}"
        return Verdict("k8s.pod.probe", said, "warning", 0.55, "not ready", ("Ready", container.name))
    return None


def _throttled(container: Container, _orderly: bool) -> Verdict | None:
    cpu = container.limits.get("cpu", "")
    if not cpu.endswith("m") or not cpu[:-1].isdigit() or int(cpu[:-1]) > _TINY_CPU_M:
        return None
    said = f"may use at most {cpu} CPU (its limit){_named(container)}: above that it is throttled{_runs(container)}"
    reason = f"a CPU limit of {cpu} throttles most programs"
    severity: Severity = "warning" if int(cpu[:-1]) <= _LEAST_CPU_M else "info"
    return Verdict("k8s.container.cpu_limit", said, severity, 0.35, reason, (f"cpu: {cpu}", cpu))


_RULES: tuple[Callable[[Container, bool], Verdict | None], ...] = (
    _image, _config, _oom, _init, _crash_loop, _ended, _restarts, _not_ready, _throttled,
)  # fmt: skip


def _mismatch(container: Container, probe: Probe) -> Verdict | None:
    """A probe that asks a port which the container does not declare, while it declares others."""
    known = {part for port in container.ports for part in port.split("=")}
    if not known or not probe.port or probe.port in known:
        return None
    ports = ", ".join(container.ports)
    said = (
        f"{probe.kind} probe asks port {probe.port} ({probe.asks}), but container {container.name} listens on {ports}"
    )
    reason, needles = "the probe's port is none of the container's", (probe.asks[:30], probe.port)
    if container.ready is False:
        return Verdict("k8s.pod.probe", said, "error", 0.88, reason, needles)
    return Verdict("k8s.pod.probe", said, "info", 0.3, reason, needles)


def _named(container: Container) -> str:
    return f" container {container.name}" if container.name else ""


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
