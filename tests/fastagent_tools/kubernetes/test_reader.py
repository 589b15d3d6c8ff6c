"""Synthetic objects, as kubectl prints them, read through the tool that the model calls."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fastagent import Observation
from fastagent.state import Finding
from tests.fastagent_tools.looking import bundle, look

ALARMING = ("error", "critical")


async def read(root: Path, outputs: Mapping[str, Any], command: str = "") -> Observation:
    texts = {k: v if isinstance(v, str) else json.dumps(v, indent=2) for k, v in outputs.items()}
    seen = await look(bundle(root, {}, texts), "read_command", command=command or next(iter(texts)))
    for finding in seen.findings:
        assert finding.quote, finding
        assert finding.quote in texts[finding.source.command or ""]
        assert finding.reason
    return seen


def by_kind(seen: Observation) -> dict[str, Finding]:
    return {f.kind: f for f in reversed(seen.findings)}


def pod(name: str, *, spec: Any = None, status: Any = None, labels: Any = None) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": labels or {}},
        "spec": spec or {},
        "status": status or {},
    }


TABLE = """NAME                      READY   STATUS             RESTARTS        AGE
cart-6b7c9d8f5d-x2x7k     1/1     Running            2 (9d ago)      10d
mail-5f6d7c8b9c-4kq2z     0/1     CrashLoopBackOff   7 (32s ago)     11m
mail-5f6d7c8b9c-9zz8w     0/1     CrashLoopBackOff   6 (50s ago)     11m
pics-7d8f9c6b5d-abc12     0/1     ImagePullBackOff   0               3m
seed-q7x2m                0/1     Completed          0               3d
"""


async def test_a_table_of_pods_names_the_failing_workloads_once_and_lets_the_healthy_be(tmp_path: Path) -> None:
    seen = await read(tmp_path, {"kubectl get pods": TABLE})
    found = by_kind(seen)
    assert found["k8s.pod.crash_loop"].entity == "mail"
    assert "restarted 7 times" in found["k8s.pod.crash_loop"].statement
    assert "1 more like it" in found["k8s.pod.crash_loop"].statement
    assert found["k8s.pod.image_pull"].entity == "pics"
    assert {f.entity for f in seen.findings if f.severity != "info"} == {"mail", "pics"}
    assert found["k8s.pod.restarts"].severity == "info"


async def test_rows_that_grep_left_without_a_header_are_pods_all_the_same(tmp_path: Path) -> None:
    row = "shop   mail-5f6d7c8b9c-4kq2z   0/1   CrashLoopBackOff   7 (32s ago)   11m   10.0.0.7   node-a   <none>   <none>   app=mail\n"
    seen = await read(tmp_path, {"kubectl get pods -A | grep mail": row})
    assert by_kind(seen)["k8s.pod.crash_loop"].entity == "mail"


async def test_an_out_of_memory_kill_is_told_with_its_count_and_limit(tmp_path: Path) -> None:
    status = {
        "phase": "Running",
        "containerStatuses": [
            {
                "name": "app",
                "ready": False,
                "restartCount": 5,
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
                "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
            }
        ],
    }
    spec = {"containers": [{"name": "app", "resources": {"limits": {"memory": "128Mi"}}}]}
    seen = await read(tmp_path, {"kubectl get pod -o json": pod("cart-6b7c9d8f5d-x2x7k", spec=spec, status=status)})
    found = by_kind(seen)["k8s.pod.oom_killed"]
    assert found.severity == "critical"
    assert found.entity == "cart"
    for part in ("5 times", "137", "128Mi"):
        assert part in found.statement


YAML = """apiVersion: v1
kind: Pod
metadata:
  name: cart-0
spec:
  containers:
  - name: app
    image: shop/cart:1
status:
  phase: Pending
  containerStatuses:
  - name: app
    ready: false
    restartCount: 0
    state:
      waiting:
        message: couldn't find key DB_URL in ConfigMap shop/cart-config
        reason: CreateContainerConfigError
"""


async def test_a_missing_key_is_named_from_yaml(tmp_path: Path) -> None:
    seen = await read(tmp_path, {"kubectl get pod cart-0 -o yaml": YAML})
    found = by_kind(seen)["k8s.pod.config_error"]
    assert "DB_URL" in found.statement
    assert "cart-config" in found.statement


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("0/3 nodes are available: 3 Insufficient memory.", "insufficient"),
        ("0/3 nodes are available: 3 node(s) had untolerated taint {gpu: true}.", "taint"),
        (
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector.",
            "selector",
        ),
        ("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", "affinity"),
        ("0/3 nodes are available: 3 pod has unbound immediate PersistentVolumeClaims.", "volume"),
    ],
)
async def test_why_a_pod_stays_pending_is_told_apart(tmp_path: Path, message: str, kind: str) -> None:
    status = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": message}]}
    seen = await read(tmp_path, {"kubectl get pod -o json": pod("job-1", status=status)})
    assert message in by_kind(seen)[f"k8s.pod.pending.{kind}"].statement


EVENTS = """LAST SEEN          TYPE      REASON             OBJECT                       MESSAGE
2m (x8 over 9m)    Warning   Unhealthy          pod/cart-6b7c9d8f5d-x2x7k    Readiness probe failed: dial tcp 10.0.0.9:8081: connect: connection refused
3m                 Normal    Scheduled          pod/cart-6b7c9d8f5d-x2x7k    Successfully assigned shop/cart to node-a
4m                 Warning   FailedMount        pod/mail-5f6d7c8b9c-4kq2z    MountVolume.SetUp failed for volume "cfg" : secret "mail-tls" not found
5m                 Warning   Sneezed            pod/misc                     something unheard of
"""


async def test_warnings_among_events_have_kinds_of_their_own(tmp_path: Path) -> None:
    found = by_kind(await read(tmp_path, {"kubectl get events": EVENTS}))
    assert "8 times" in found["k8s.pod.probe"].statement
    assert found["k8s.pod.probe"].entity == "cart"
    assert "mail-tls" in found["k8s.pod.config_error"].statement
    assert found["k8s.event.Sneezed"].severity == "warning"
    assert not [f for f in found.values() if "Scheduled" in f.statement]


DESCRIPTION = """Name:             cart-6b7c9d8f5d-x2x7k
Namespace:        shop
Labels:           app=cart
                  pod-template-hash=6b7c9d8f5d
Status:           Running
Controlled By:    ReplicaSet/cart-6b7c9d8f5d
Containers:
  app:
    Image:          shop/cart:2
    Port:           8080/TCP
    Command:
      /bin/cart
    State:          Running
      Started:      Mon, 02 Mar 2026 09:00:00 +0000
    Ready:          False
    Restart Count:  0
    Readiness:      http-get http://:8081/healthz delay=0s timeout=1s period=10s #success=1 #failure=3
Conditions:
  Type              Status
  Ready             False
  PodScheduled      True
Node-Selectors:     <none>
Events:
  Type     Reason     Age                From     Message
  ----     ------     ----               ----     -------
  Warning  Unhealthy  1s (x12 over 60s)  kubelet  Readiness probe failed: Get "http://10.1.0.5:8081/healthz": connection refused
"""


async def test_a_probe_that_asks_another_port_than_the_container_has_is_seen_in_a_description(tmp_path: Path) -> None:
    seen = await read(tmp_path, {"describe_pod name=cart": f"stdout:\n{DESCRIPTION}\nstderr:\n"})
    first = seen.findings[0]
    assert first.kind == "k8s.pod.probe"
    assert first.entity == "cart"
    assert "8081" in first.statement
    assert "8080" in first.statement


SERVICES = """NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   SELECTOR
cart   ClusterIP   10.0.0.1     <none>        80/TCP    3d    app=cart-v2
mail   ClusterIP   10.0.0.2     <none>        80/TCP    3d    app=mail
"""
LABELLED = """NAME                    READY   STATUS    RESTARTS   AGE   LABELS
cart-6b7c9d8f5d-x2x7k   1/1     Running   0          3d    app=cart,pod-template-hash=6b7c9d8f5d
mail-5f6d7c8b9c-4kq2z   1/1     Running   0          3d    app=mail,pod-template-hash=5f6d7c8b9c
"""


async def test_a_selector_that_fits_no_pod_is_found_by_comparing_two_outputs(tmp_path: Path) -> None:
    outputs = {"kubectl get svc -o wide": SERVICES, "kubectl get pods --show-labels": LABELLED}
    seen = await read(tmp_path, outputs)
    assert [f.entity for f in seen.findings] == ["cart"]
    assert seen.findings[0].kind == "k8s.service.no_endpoints"
    assert "app=cart-v2" in seen.findings[0].statement
    assert "app=cart" in seen.findings[0].statement


async def test_a_service_whose_target_port_nobody_listens_on_is_found(tmp_path: Path) -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "cart", "namespace": "shop"},
               "spec": {"selector": {"app": "cart"}, "ports": [{"port": 80, "targetPort": 9090}]}}  # fmt: skip
    spec = {"containers": [{"name": "app", "ports": [{"containerPort": 8080}]}]}
    listed = {"apiVersion": "v1", "kind": "List", "items": [service, pod("cart-1", spec=spec, labels={"app": "cart"})]}
    found = by_kind(await read(tmp_path, {"kubectl get svc,pods -o json": listed}))["k8s.service.port_mismatch"]
    assert "9090" in found.statement
    assert "8080" in found.statement


async def test_empty_endpoints_are_a_fault_and_filled_ones_are_none(tmp_path: Path) -> None:
    table = "NAME   ENDPOINTS        AGE\ncart   <none>           3d\nmail   10.0.0.4:8080    3d\n"
    seen = await read(tmp_path, {"kubectl get endpoints": table})
    assert [(f.kind, f.entity) for f in seen.findings if f.severity != "info"] == [("k8s.service.no_endpoints", "cart")]


async def test_a_node_that_is_not_ready_or_short_of_disk_is_named(tmp_path: Path) -> None:
    conditions = [{"type": "DiskPressure", "status": "True", "message": "kubelet has disk pressure"},
                  {"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}]  # fmt: skip
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a"}, "status": {"conditions": conditions}}
    found = by_kind(await read(tmp_path, {"kubectl get node -o json": node}))
    assert found["k8s.node.not_ready"].severity == "critical"
    assert found["k8s.node.pressure"].entity == "node-a"


async def test_other_objects_say_what_ails_them(tmp_path: Path) -> None:
    outputs = {
        "kubectl get pvc": "NAME   STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\ndata   Pending                                       fast           5m\n",
        "kubectl get hpa": "NAME   REFERENCE         TARGETS              MINPODS   MAXPODS   REPLICAS   AGE\ncart   Deployment/cart   cpu: <unknown>/80%   1         5         5          5m\n",
        "kubectl get deploy": "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\ncart   0/3     3            0           5m\nmail   1/1     1            1           5m\n",
        "kubectl get jobs": "NAME   STATUS   COMPLETIONS   DURATION   AGE\nseed   Failed   0/1           5m         5m\n",
        "kubectl get netpol -o json": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "deny"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}},
        "kubectl describe quota": "Name:       q\nNamespace:  shop\nResource    Used  Hard\n--------    ----  ----\npods        10    10\nsecrets     1     9\n",
    }  # fmt: skip
    kinds = {command: {f.kind for f in (await read(tmp_path, outputs, command)).findings} for command in outputs}
    assert list(kinds.values()) == [
        {"k8s.volume.unbound"},
        {"k8s.hpa"},
        {"k8s.deployment.unavailable"},
        {"k8s.job.failed"},
        {"k8s.network_policy.blocks"},
        {"k8s.quota"},
    ]


async def test_no_resources_are_neither_health_nor_fault(tmp_path: Path) -> None:
    seen = await read(tmp_path, {"kubectl get pods -n shop": "No resources found in shop namespace.\n"})
    assert seen.findings == ()
    assert seen.gaps


async def test_an_event_that_says_it_is_over_alarms_nobody(tmp_path: Path) -> None:
    event = {"apiVersion": "v1", "kind": "Event", "reason": "NodeNotReady", "type": "Warning",
             "message": "Node node-a status is now: NodeNotReady (recovered after 20s)",
             "involvedObject": {"kind": "Node", "name": "node-a"}}  # fmt: skip
    seen = await read(tmp_path, {"kubectl get events -o json": {"kind": "List", "apiVersion": "v1", "items": [event]}})
    assert [f.severity for f in seen.findings] == ["info"]


async def test_a_finding_of_another_tool_in_kubernetes_words_is_understood(tmp_path: Path) -> None:
    said = (
        '{"subject": "pod broker-0", "description": "The node was low on resource: ephemeral-storage. Threshold 2Gi."}'
    )
    seen = await read(tmp_path, {"fetch_alert id=1": said})
    assert "ephemeral-storage" in by_kind(seen)["k8s.pod.evicted"].statement


@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "v1", "kind": "Pod", "metadata": 7, "status": {"containerStatuses": "x"}}',
        '{"apiVersion": "v1", "kind": "List", "items": [null, 3, {"kind": "Pod", "metadata": {"name": ["x"]}}',
        '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [1], "selector": [2]}}',
        "apiVersion: v1\nkind: Pod\nmetadata: [\n",
        "apiVersion: v1\nkind: Event\nmetadata: {name: a}\nreason: {}\ncount: .inf\n",
        "Name: x\nNamespace: y\nContainers:\nEvents:\n  a\nStatus:\n",
        "Name: x\nLabels: y\nNon-terminated Pods: z\nAllocatable: 1\nConditions: q\n",
        "NAME   READY   STATUS   RESTARTS   AGE\n\n   \nx\n",
        "NAME   TYPE   CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\n,,,   =   /\n",
        '{"apiVersion": ' + "[" * 100_000,
    ],
)
async def test_broken_objects_raise_nothing(tmp_path: Path, text: str) -> None:
    seen = await read(tmp_path, {"kubectl get something": text})
    assert not [f for f in seen.findings if f.kind.startswith("k8s.") and f.severity in ALARMING]


async def test_a_pod_that_still_initialises_is_no_crash(tmp_path: Path) -> None:
    rows = "NAME     READY   STATUS              RESTARTS   AGE\na-1      0/1     Init:0/1            0          9s\nb-1      0/1     ContainerCreating   0          9s\n"
    seen = await read(tmp_path, {"kubectl get pods": rows})
    assert {f.severity for f in seen.findings} == {"warning"}


async def test_memory_near_the_limit_is_seen_with_the_limit_from_another_output(tmp_path: Path) -> None:
    top = "NAME                    CPU(cores)   MEMORY(bytes)\ncart-6b7c9d8f5d-x2x7k   3m           125Mi\n"
    spec = {"containers": [{"name": "app", "resources": {"limits": {"memory": "128Mi"}}}]}
    outputs = {"kubectl top pods": top, "kubectl get pods -o json": pod("cart-6b7c9d8f5d-x2x7k", spec=spec)}
    found = by_kind(await read(tmp_path, outputs))["k8s.pod.memory_near_limit"]
    assert found.entity == "cart"
    assert "125Mi" in found.statement


async def test_a_node_that_is_used_up_is_seen(tmp_path: Path) -> None:
    top = "NAME     CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%\nnode-a   100m         2%     1387Mi          96%\n"
    assert by_kind(await read(tmp_path, {"kubectl top nodes": top}))["k8s.node.memory"].entity == "node-a"


async def test_what_we_may_not_see_is_a_gap(tmp_path: Path) -> None:
    said = 'Error from server (Forbidden): pods is forbidden: User "me" cannot list resource "pods" in API group ""\n'
    seen = await read(tmp_path, {"kubectl get pods": said})
    assert seen.findings == ()
    assert seen.gaps[0].reason == "forbidden"


async def test_an_ingress_that_routes_to_nothing_is_seen_in_its_description(tmp_path: Path) -> None:
    text = 'Name:             shop\nNamespace:        shop\nRules:\n  Host  Path  Backends\n  ----  ----  --------\n  *     /     cart:80 (<error: endpoints "cart" not found>)\nEvents:     <none>\n'
    assert "k8s.service.no_endpoints" in by_kind(await read(tmp_path, {"kubectl describe ingress shop": text}))


async def test_where_all_is_well_that_is_said_and_nothing_else(tmp_path: Path) -> None:
    seen = await read(tmp_path, {"kubectl get pods": LABELLED})
    assert [(f.kind, f.severity) for f in seen.findings] == [("k8s.healthy.pods", "info")]
    assert "2 of 2 pods" in seen.findings[0].statement
