"""Names of workloads as people say them: without the hashes that controllers append."""

import re
from collections.abc import Iterable, Mapping

_DEPLOYMENT_POD = re.compile(r"^(?P<name>.+?)-[0-9a-z]{6,10}-[0-9a-z]{5}$")
_HASH = re.compile(r"^(?=.*\d)[0-9a-z]{6,10}$")
_CRON_JOB = re.compile(r"^(?P<name>.+)-\d{8,10}$")


def workload_of(pod: str, labels: Mapping[str, str], owner_kind: str = "", owner: str = "") -> str:
    """The workload behind a pod, from its owner, its labels or its name; the pod's own name where it stands alone."""
    known_hash = labels.get("pod-template-hash", "")
    if owner_kind == "ReplicaSet" or (not owner and known_hash):
        replica_set = owner or pod.rpartition("-")[0]
        plain = replica_set.removesuffix(f"-{known_hash}") if known_hash else replica_set
        return plain if plain != replica_set else without_hash(replica_set)
    if owner_kind == "Job":
        return _without_time(owner)
    if owner:
        return owner
    if job := labels.get("job-name") or labels.get("batch.kubernetes.io/job-name"):
        return _without_time(job)
    return by_name(pod)


def by_name(pod: str) -> str:
    """A Deployment's pod is called `<deployment>-<hash>-<suffix>`."""
    match = _DEPLOYMENT_POD.match(pod)
    return match["name"] if match and _HASH.match(pod.rsplit("-", 2)[1]) else pod


def among(name: str, workloads: Iterable[str]) -> str:
    """The workload whose name a pod's name begins with, the longest; "" where there is none."""
    fitting = [w for w in workloads if name.startswith(f"{w}-")]
    return max(fitting, key=len, default="")


def without_hash(replica_set: str) -> str:
    """The Deployment of a ReplicaSet called `<deployment>-<hash>`."""
    name, _, suffix = replica_set.rpartition("-")
    return name if name and _HASH.match(suffix) else replica_set


def _without_time(job: str) -> str:
    match = _CRON_JOB.match(job)
    return match["name"] if match else job
