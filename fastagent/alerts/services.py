"""Whom an alert is about, as its labels say."""

from collections.abc import Mapping

SERVICE_LABELS = (
    "service", "service_name", "service.name", "servicename", "app", "application", "app.kubernetes.io/name",
    "app_kubernetes_io_name", "deployment", "kube_deployment", "statefulset", "daemonset", "workload", "component",
    "project", "project_slug",
)  # fmt: skip
OTHER_LABELS = (
    "job", "job_name", "kube_job", "container", "container_name", "pod", "pod_name", "host", "hostname", "host.name",
    "instance", "node", "queue", "cluster", "source",
)  # fmt: skip
MAX_NAME_CHARS = 120


def services_of(*labels: Mapping[str, str]) -> tuple[str, ...]:
    """The services that labels name; where they name none, what else they say it is: job, pod, host …"""
    return _named(SERVICE_LABELS, labels) or _named(OTHER_LABELS, labels)


def _named(names: tuple[str, ...], sets: tuple[Mapping[str, str], ...]) -> tuple[str, ...]:
    found = (labels.get(name, "").strip() for name in names for labels in sets)
    return tuple(dict.fromkeys(f for f in found if f and len(f) <= MAX_NAME_CHARS and not f.startswith(("$", "*"))))
