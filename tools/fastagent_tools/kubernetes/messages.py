"""What Kubernetes' own messages say, in events, conditions, waiting containers and logs of its components."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fastagent.pattern import compile_pattern
from fastagent.state import Severity


@dataclass(frozen=True, slots=True)
class Meaning:
    """A message of one kind. `score` says how near it is to a root cause."""

    kind: str
    says: str
    severity: Severity
    score: float
    pattern: re.Pattern[str]


def _m(kind: str, says: str, severity: Severity, score: float, pattern: str) -> Meaning:
    return Meaning(kind, says, severity, score, re.compile(pattern, re.IGNORECASE))


MEANINGS: tuple[Meaning, ...] = (  # the more specific first
    _m("k8s.quota", "a quota forbids it", "error", 0.9, r"exceeded quota|forbidden: .{0,80}quota|maximum (cpu|memory) usage per"),
    _m("k8s.rbac.forbidden", "the account lacks a right", "error", 0.85, r"\bis forbidden: User|cannot (get|list|watch|create|update|patch|delete) resource"),
    _m("k8s.pod.config_error", "a service account is missing", "error", 0.7, r"serviceaccount \"[^\"]*\" not found|error looking up service account"),
    _m("k8s.pod.config_error", "what its configuration refers to is missing", "error", 0.92,
       r"(configmaps?|secrets?) \"[^\"]*\" (not found|is forbidden)|couldn't find key|references non-existent (config|secret) key|CreateContainerConfigError"
       r"|(configmap|secret) .{0,60} not (found|registered)"),
    _m("k8s.container.exit", "its command cannot be started", "error", 0.9,
       r"exec: \"[^\"]*\": (executable file not found|stat .*no such file|permission denied)|executable file not found|OCI runtime create failed|exec format error"),
    _m("k8s.pod.image_pull", "its image cannot be pulled", "error", 0.9,
       r"ErrImagePull|ImagePullBackOff|Failed to pull image|InvalidImageName|ErrImageNeverPull|manifest (for .{1,120} )?(unknown|not found)|Back-?off pulling image"),
    _m("k8s.pod.oom_killed", "memory ran out", "critical", 0.92, r"OOM-?Kill(ed|ing)|System OOM"),
    _m("k8s.pod.evicted", "it was evicted", "error", 0.85, r"node was low on resource|\bevicted\b|exceeded its local ephemeral storage|ephemeral local storage usage exceeds"),
    _m("k8s.pod.pending.volume", "its volume cannot be used on any node", "error", 0.88,
       r"unbound immediate PersistentVolumeClaims|volume node affinity conflict|persistentvolumeclaim \"[^\"]*\" not found|didn't find available persistent volumes"),
    _m("k8s.pod.pending.insufficient", "no node has enough free resources", "error", 0.9, r"\d Insufficient [\w./-]+|Too many pods"),
    _m("k8s.pod.pending.selector", "no node carries the labels it selects", "error", 0.9, r"didn't match (Pod's )?node (affinity/selector|selector)|didn't match node selector"),
    _m("k8s.pod.pending.taint", "the nodes' taints keep it away", "error", 0.88, r"untolerated taint|had taints? |node\(s\) were unschedulable"),
    _m("k8s.pod.pending.affinity", "its (anti-)affinity rules fit no node", "error", 0.88, r"didn't match pod (anti-)?affinity|anti-affinity rules|topology spread constraints"),
    _m("k8s.pod.pending.insufficient", "no node takes it", "error", 0.6, r"\b0/\d+ nodes are available|no nodes available to schedule"),
    _m("k8s.volume.mount_failed", "a volume cannot be mounted", "error", 0.85,
       r"Unable to attach or mount volumes|MountVolume\.\w+ failed|Multi-Attach error|AttachVolume\.Attach failed|FailedMount|FailedAttachVolume"),
    _m("k8s.volume.unbound", "no volume is there to bind", "error", 0.85, r"no persistent volumes available|storageclass\S* \"[^\"]*\" not found|ProvisioningFailed|waiting for a volume to be created"),
    _m("k8s.pod.probe", "a probe fails", "warning", 0.75, r"(Liveness|Readiness|Startup) probe (failed|errored)|failed (liveness|readiness|startup) probe"),
    _m("k8s.node.not_ready", "a node does not answer", "error", 0.85, r"NodeNotReady|Kubelet stopped posting node status|NodeStatusUnknown|NodeLost|node is not ready|container runtime is (down|not ready)|PLEG is not healthy"),
    _m("k8s.node.pressure", "a node is short of a resource", "error", 0.8, r"NodeHas(DiskPressure|InsufficientMemory|InsufficientPID)|EvictionThresholdMet|FreeDiskSpaceFailed|ImageGCFailed|attempting to reclaim"),
    _m("k8s.dns", "names cannot be resolved in the cluster", "error", 0.8, r"DNSConfigForming|lookup \S+ on \S+:53: .*(no such host|timeout|server misbehaving)|coredns.{0,60}(fail|error|unhealthy)"),
    _m("k8s.network", "a pod gets no network", "error", 0.85, r"FailedCreatePodSandBox|NetworkPluginNotReady|cni plugin not initialized|failed to (assign an IP|allocate for range)|no IP addresses available"),
    _m("k8s.job.failed", "a job has given up", "error", 0.7, r"BackoffLimitExceeded|reached the specified backoff limit|was active longer than specified deadline|DeadlineExceeded: Job"),
    _m("k8s.hpa", "the autoscaler cannot measure", "warning", 0.6, r"FailedGet(Resource|Scale|Object|External|PodsMetric)\w*|unable to (get|fetch) metrics|missing request for (cpu|memory)|FailedComputeMetricsReplicas"),
    _m("k8s.deployment.unavailable", "a rollout does not get on", "error", 0.7, r"ProgressDeadlineExceeded|exceeded its progress deadline|has timed out progressing"),
    _m("k8s.pod.crash_loop", "a container fails again and again", "error", 0.6, r"CrashLoopBackOff|Back-?off restarting failed container"),
    _m("k8s.service.no_endpoints", "what it routes to is not there", "error", 0.85, r"<error: (?:endpoints|services?) \"[^\"]*\" not found>|service \"[^\"]*\" not found"),
    _m("k8s.admission", "an admission webhook refuses", "error", 0.8, r"admission webhook \"[^\"]*\"|failed calling webhook"),
)  # fmt: skip
_MOSTLY = re.compile(r"(\d+) (Insufficient [\w./-]+|Too many pods|node\(s\)[^,.]*)")
_RECOVERED = re.compile(
    r"\b(?:recovered|recovery|roll(?:ed)?[- ]?back (?:success|complete)\w*|rolled[- ]back|resolved|restored|flap|returned to ready|now (?:ready|healthy|available))\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|cannot|can't|couldn't|unable to|fail\w*|error|attempting|waiting)\b.{0,40}\b(?:recover|resol|restor|roll)",
    re.IGNORECASE,
)
_ORDERLY = re.compile(
    r"\bis terminating\b|\bterminating during rollout|rollout cleanup|graceful(?:ly)? shut ?down", re.IGNORECASE
)


@cache
def _pieces() -> tuple[Any, ...]:
    """All patterns in a few joined ones, to pass quickly over what says nothing."""
    patterns = [m.pattern.pattern for m in MEANINGS]
    return tuple(compile_pattern("|".join(patterns[i : i + 8])) for i in range(0, len(patterns), 8))


def meaning_of(reason: str, message: str) -> Meaning | None:
    """What a message says; of a scheduler's sum the reason that holds for most nodes."""
    text = f"{reason}: {message}"[:2_000]
    reasons = _MOSTLY.findall(message) if "nodes are available" in message else []
    if reasons:
        most = max(reasons, key=lambda r: int(r[0]))
        text = f"{most[0]} {most[1]}"
    if not any(piece.search(text) for piece in _pieces()):
        return None
    return next((m for m in MEANINGS if m.pattern.search(text)), None)


def is_over(message: str) -> bool:
    """Whether a message says itself that what it tells has passed, or belongs to an orderly end."""
    return is_recovery(message) or bool(_ORDERLY.search(message))


def is_recovery(message: str) -> bool:
    """Whether a message tells that something has become well again."""
    return bool(_RECOVERED.search(message)) and not _NOT.search(message)


def all_meanings(lines: Sequence[str]) -> list[tuple[str, Meaning]]:
    """The lines that say such a thing, each with its meaning."""
    return [(line, m) for line in dict.fromkeys(lines) if len(line) < 4_000 and (m := meaning_of("", line))]
