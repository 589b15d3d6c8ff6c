"""Alerts that most clusters have, by the names of the widely used rule sets, and what each of them says."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an alert of that name measures. `kind` is the end of its finding's kind."""

    kind: str
    says: str
    name: re.Pattern[str]
    by_design: bool = False  # it fires while all is well


def _meaning(kind: str, says: str, name: str, *, by_design: bool = False) -> Meaning:
    return Meaning(kind, says, re.compile(rf"\b(?:{name})", re.IGNORECASE), by_design)


MEANINGS = (
    _meaning(
        "by_design",
        "it always fires, by design: it shows that alerting works, and no action is needed while it does",
        r"Watchdog\b|DeadMans?(Switch|Snitch)|AlwaysFiring|Heartbeat(Alert)?\b",
        by_design=True,
    ),
    _meaning(
        "by_design",
        "it only mutes others and needs no action, by design",
        r"InfoInhibitor",
        by_design=True,
    ),
    _meaning("cpu_throttled", "containers are held back by their CPU limit", r"CPUThrottling"),
    _meaning("crash_loop", "a container ends and is started again and again", r"(Kube)?(Pod|Container)?CrashLoop"),
    _meaning(
        "not_ready", "pods are not ready", r"KubePodNotReady|KubeDeploymentReplicasMismatch|KubeStatefulSetReplicas"
    ),
    _meaning("waiting", "a container waits to start", r"KubeContainerWaiting"),
    _meaning("job_failed", "a job did not complete", r"(Kube)?Job(Failed|Failure|NotCompleted)"),
    _meaning("node_down", "a node does not answer", r"KubeNode(NotReady|Unreachable|ReadinessFlapping)|KubeletDown"),
    _meaning(
        "overcommitted", "the requests of all pods leave no room to lose a node", r"Kube(CPU|Memory)(Quota)?Overcommit"
    ),
    _meaning("quota", "a namespace comes near its quota", r"KubeQuota(AlmostFull|FullyUsed|Exceeded)"),
    _meaning(
        "disk_full",
        "a disk fills up",
        r"KubePersistentVolumeFillingUp|NodeFilesystem(SpaceFillingUp|AlmostOutOfSpace)|HostOutOfDiskSpace",
    ),
    _meaning("inodes", "a file system runs out of inodes", r"\w*Filesystem\w*Files\w*|KubePersistentVolumeInodes\w*"),
    _meaning("clock", "clocks differ", r"NodeClock(SkewDetected|NotSynchronising)|HostClockSkew"),
    _meaning("memory", "a machine runs out of memory", r"NodeMemory(High|Major)|HostOutOfMemory"),
    _meaning("oom", "a container was ended for its memory", r"(Kube)?(Container|Pod)?OOM(Kill)?"),
    _meaning("certificate", "a certificate is about to expire", r"\w*Certificate(Expir|Renewal)\w*|SSLCert\w*"),
    _meaning("target_down", "a target cannot be scraped", r"TargetDown|InstanceDown|PrometheusTargetMissing"),
)


UNKNOWN = _meaning("fired", "what it measures is beyond its threshold", r"(?!)")


def meaning_of(name: str) -> Meaning | None:
    """What is known of an alert's name, a rule set's prefix or suffix aside."""
    return next((m for m in MEANINGS if m.name.search(name)), None)
