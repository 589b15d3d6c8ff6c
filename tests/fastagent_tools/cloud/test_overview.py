"""Synthetic answers of cloud services, read through the tool that the model calls."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fastagent import Observation
from fastagent.state import Finding
from tests.fastagent_tools.looking import bundle, look

TIMES = [f"2026-03-02T10:{minute:02d}:00Z" for minute in range(15)]


async def overview(root: Path, files: Mapping[str, Any]) -> Observation:
    texts = {f"cloud/{name}": v if isinstance(v, str) else json.dumps(v, indent=1) for name, v in files.items()}
    seen = await look(bundle(root, dict(texts)), "cloud_overview")
    for finding in seen.findings:
        assert finding.quote, finding
        assert finding.quote in texts[finding.source.file or ""]
        assert finding.source.line
    return seen


def by_kind(seen: Observation) -> dict[str, Finding]:
    return {f.kind: f for f in reversed(seen.findings)}


def alarms(seen: Observation) -> list[Finding]:
    return [f for f in seen.findings if f.severity != "info"]


def series(name: str, values: Sequence[float], unit: str = "Count", entity: str = "ledger-db") -> dict[str, Any]:
    dimensions = [{"Name": "DBInstanceIdentifier", "Value": entity}]
    return {"metric_name": name, "dimensions": dimensions, "unit": unit, "timestamps": TIMES, "values": list(values)}


def metrics(*found: dict[str, Any]) -> dict[str, Any]:
    return {"namespace": "AWS/RDS", "start_time": TIMES[0], "metric_data_results": list(found)}


STEADY = [20.0 + n % 3 for n in range(15)]


async def test_without_cloud_records_nothing_is_claimed(tmp_path: Path) -> None:
    seen = await look(bundle(tmp_path, {"logs/a.log": "x"}), "cloud_overview")
    assert seen.examined == 0
    assert seen.findings == ()


async def test_steady_metrics_are_evidence_that_nothing_is_wrong(tmp_path: Path) -> None:
    seen = await overview(tmp_path, {"m.json": metrics(series("CPUUtilization", STEADY, "Percent"))})
    assert not alarms(seen)
    assert seen.findings[0].kind == "cloud.healthy.all"
    assert "within normal bounds" in seen.findings[0].statement


@pytest.mark.parametrize(
    ("name", "unit", "values", "kind", "words"),
    [
        ("CPUUtilization", "Percent", [20, 25, *[95.0] * 13], "saturated", "95%"),
        ("FreeStorageSpace", "Bytes", [2**34 - n * 2**30 for n in range(16)][1:], "exhausted", "15.0 GiB"),
        ("ReplicaLag", "Seconds", [5 + 80 * n for n in range(15)], "rising", "from 5 s"),
        ("DatabaseConnections", "Count", [300] * 6 + [0, 0] + [300] * 7, "dropped", "fell to 0 from 300"),
        ("ReplicaLag", "Seconds", [1.0] * 7 + [40.0] + [1.0] * 7, "spike", "40 s"),
    ],
)
async def test_a_series_says_what_became_of_it(
    tmp_path: Path, name: str, unit: str, values: list[float], kind: str, words: str
) -> None:
    seen = await overview(tmp_path, {"m.json": metrics(series(name, values, unit), series("ReadIOPS", STEADY))})
    found = by_kind(seen)[f"cloud.metric.{kind}"]
    assert words in found.statement
    assert found.entity == "ledger-db"
    assert "cloud.healthy.metrics" in by_kind(seen)


async def test_connections_are_held_against_the_limit_that_an_event_names(tmp_path: Path) -> None:
    event = {"date": TIMES[9], "message": "ledger-db approaches max_connections. Current connections: 190 of 200.",
             "source_identifier": "ledger-db"}  # fmt: skip
    rising = metrics(series("DatabaseConnections", [120 + 5 * n for n in range(15)]))
    found = by_kind(await overview(tmp_path, {"m.json": rising, "e.json": {"events": [event]}}))
    assert "190 of 200" in found["cloud.metric.saturated"].statement
    assert found["cloud.event.connections"].severity == "error"


async def test_an_event_of_hours_ago_is_context_and_one_of_now_an_alarm(tmp_path: Path) -> None:
    def failover(time: str) -> dict[str, str]:
        return {"date": time, "message": f"Multi-AZ failover started at {time}", "source_identifier": "ledger-db"}

    events = {"events": [failover("2026-03-02T04:00:00Z"), failover(TIMES[4])]}
    seen = await overview(tmp_path, {"m.json": metrics(series("ReadIOPS", STEADY)), "e.json": events})
    assert [f.severity for f in seen.findings if f.kind == "cloud.event.failover"] == ["error", "info"]


async def test_the_statement_that_makes_the_load_is_named_when_the_load_has_risen(tmp_path: Path) -> None:
    waits = [{"name": "Lock:transactionid", "type": "Lock", "db_load_avg": 6.0}, {"name": "CPU", "db_load_avg": 1.0}]
    document = {
        "db_instance_identifier": "ledger-db",
        "db_load": {"values": [1, 1, 2, 4, 6, 8, 8, 8]},
        "top_sql": [{"statement": "UPDATE accounts SET sum = sum + $1", "db_load_avg": 6.5, "wait_events": waits}],
        "top_wait_events": waits,
    }
    found = by_kind(await overview(tmp_path, {"pi.json": document}))
    assert "UPDATE accounts" in found["cloud.db.top_sql"].statement
    assert found["cloud.db.wait.lock"].severity == "warning"
    document["db_load"] = {"values": [8] * 8}
    assert not alarms(await overview(tmp_path, {"pi.json": document}))


def pods(*states: dict[str, Any]) -> dict[str, Any]:
    return {
        "pods": [
            {
                "name": f"cart-6b7c9d8f5d-x2x7{n}",
                "phase": "Running",
                "containers": [{"name": "app", "ready": "running" in s, "restart_count": 0, "state": s}],
            }
            for n, s in enumerate(states)
        ]
    }


async def test_simplified_objects_are_judged_as_kubernetes_objects(tmp_path: Path) -> None:
    crash = {"waiting": True, "reason": "CrashLoopBackOff", "message": "back-off 5m0s"}
    seen = await overview(tmp_path, {"pods.json": pods(crash, {"running": True})})
    assert by_kind(seen)["k8s.pod.crash_loop"].entity == "cart"
    assert "1 of 2 pods" in by_kind(seen)["cloud.healthy.pods"].statement


async def test_a_fault_that_is_over_is_no_alarm_where_everything_is_well_now(tmp_path: Path) -> None:
    event = {"reason": "ProgressDeadlineExceeded", "message": "ReplicaSet cart-6b7c9d8f5d made no progress",
             "type": "Warning", "count": 1, "involved_object": "Deployment/cart"}  # fmt: skip
    files = {
        "events.json": {"warning_events": [event]},
        "deployments.json": {"deployments": [{"name": "cart", "desired": 2, "ready": 2, "available": 2}]},
        "pods.json": pods({"running": True}, {"running": True}),
        "monitors.json": {"monitors": [{"name": "cart errors", "overall_state": "OK", "tags": ["service:cart"]}]},
        "logs.json": {"logs": [{"status": "info", "service": "cart", "message": "rollout of cart was rolled back"}]},
    }
    seen = await overview(tmp_path, files)
    assert not alarms(seen)
    assert "rolled back" in seen.findings[0].statement
    assert {"cloud.healthy.pods", "cloud.healthy.deployments", "cloud.healthy.monitors"} <= set(by_kind(seen))


async def test_a_firing_monitor_and_an_error_in_the_logs_are_alarms(tmp_path: Path) -> None:
    files = {
        "monitors.json": {"monitors": [{"name": "errors", "overall_state": "Alert", "tags": ["service:cart"]}]},
        "logs.json": {
            "logs": [{"status": "error", "service": "cart", "message": "connect ECONNREFUSED 10.0.0.3:5432"}]
        },
    }
    found = by_kind(await overview(tmp_path, files))
    assert found["cloud.monitor.alert"].entity == "cart"
    assert found["log.fatal.refused"].entity == "cart"


async def test_json_of_an_unknown_form_is_searched_for_faults_and_states(tmp_path: Path) -> None:
    document = {
        "targets": [{"id": "a", "health": {"State": "unhealthy"}}],
        "note": "write failed: no space left on device",
    }
    found = by_kind(await overview(tmp_path, {"x.json": document}))
    assert "targets.health.State" in found["cloud.status"].statement
    assert "no space left" in found["cloud.fault.enospc"].statement


@pytest.mark.parametrize("text", ["", "{", "[1, null]", '{"pods": 3, "logs": {}, "events": [[]]}', '{"metric_data_results": [{"values": ["x", null, {}, 1e999]}]}', "[" * 50_000, '{"top_sql": [{"db_load_avg": "NaN"}], "db_load": {"values": [null]}}', '{"metric_data_results": [{"metric_name": "a", "values": [NaN, 1, 2, 3]}]}'])  # fmt: skip
async def test_broken_records_become_gaps_or_nothing(tmp_path: Path, text: str) -> None:
    seen = await look(bundle(tmp_path, {"cloud/x.json": text}), "cloud_overview")
    assert seen.ok
    assert seen.summary
    assert not alarms(seen)
