"""Services against the pods behind them, and network policies."""

from collections.abc import Mapping

from fastagent.state import Finding, Severity
from fastagent_tools.kubernetes.model import Cluster, Pod, Policy, Service
from fastagent_tools.text.citation import Original


def judge_service(service: Service, original: Original, around: Cluster) -> list[Finding]:
    """A service without endpoints, whose selector fits no pod, or whose target port no pod listens on."""
    if service.kind == "ExternalName":
        return []
    pods = [p for p in around.pods if p.labels and _one_namespace(service, p)]
    chosen = [p for p in pods if selects(service.selector, p.labels)]
    if service.selector and pods and not chosen:
        return [_no_pods(service, pods, original)]
    if service.endpoints is not None and not service.endpoints:
        said = f"service {service.name} has no endpoints{_selector(service.selector)}: nobody answers its requests"
        return [_finding(service, original, "k8s.service.no_endpoints", said, "error", 0.75, "no endpoints", "<none>")]
    return [f for p in chosen[:1] for f in _ports(service, p, original)]


def selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether labels carry all that a selector asks for."""
    return bool(selector) and all(labels.get(k) == v for k, v in selector.items())


def _one_namespace(service: Service, pod: Pod) -> bool:
    return not (service.namespace and pod.namespace) or service.namespace == pod.namespace


def _no_pods(service: Service, pods: list[Pod], original: Original) -> Finding:
    keys = sorted(service.selector)
    near = [p for p in pods if any(key in p.labels for key in keys) and _akin(service.name, p)]
    hint = "; ".join(f"{p.owner or p.name} carries {_of(p.labels, keys)}" for p in near[:2])
    said = f"service {service.name}{_selector(service.selector)} matches none of {len(pods)} pods"
    said += f" ({hint})" if hint else ""
    # Without its own pods in sight a service may well have them elsewhere.
    surely = bool(near) or service.endpoints == ()
    severity: Severity = "error" if surely else "info"
    return _finding(
        service,
        original,
        "k8s.service.no_endpoints",
        said,
        severity,
        0.9 if surely else 0.3,
        "selector and labels differ",
        *service.selector.values(),
    )


def _akin(service: str, pod: Pod) -> bool:
    return service.split("-", maxsplit=1)[0] in pod.name


def _of(labels: Mapping[str, str], keys: list[str]) -> str:
    return ", ".join(f"{key}={labels[key]}" for key in keys if key in labels)


def _ports(service: Service, pod: Pod, original: Original) -> list[Finding]:
    listens = {part for c in pod.containers for port in c.ports for part in port.split("=")}
    found = []
    for port in service.ports:
        if listens and port.target and port.target not in listens:
            said = f"service {service.name} sends port {port.port} to port {port.target}, "
            said += f"but {pod.name} listens on {', '.join(sorted(listens))}"
            found.append(
                _finding(
                    service,
                    original,
                    "k8s.service.port_mismatch",
                    said,
                    "error",
                    0.88,
                    "nobody listens on the target port",
                    port.target,
                )
            )
    return found


def _selector(selector: Mapping[str, str]) -> str:
    return f" (selector {', '.join(f'{k}={v}' for k, v in selector.items())})" if selector else ""


def _finding(
    service: Service,
    original: Original,
    kind: str,
    said: str,
    severity: Severity,
    score: float,
    reason: str,
    *needles: str,
) -> Finding:
    return original.finding(
        kind, said, severity, score, reason, entity=service.name, needles=(*needles, service.name), after=service.name
    )


def judge_policy(policy: Policy, original: Original, around: Cluster) -> list[Finding]:
    """A policy that lets nothing in or out. That is often wanted: a warning, no more."""
    if not policy.blocks:
        return []
    whom = _selector(policy.selects).replace("selector ", "") or " (all pods of its namespace)"
    hit = sorted({p.owner or p.name for p in around.pods if selects(policy.selects, p.labels)})
    said = f"network policy {policy.name}{whom} allows no {' and no '.join(policy.blocks)} traffic"
    said += f"; it applies to {', '.join(hit[:3])}" if hit else ""
    entity = hit[0] if len(hit) == 1 else policy.name
    return [
        original.finding(
            "k8s.network_policy.blocks",
            said,
            "warning",
            0.6,
            "it isolates the pods it selects",
            entity=entity,
            needles=(policy.name,),
        )
    ]
