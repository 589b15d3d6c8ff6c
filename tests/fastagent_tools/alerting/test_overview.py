"""What alerts say: since when they fire, what a known name means, and which of them fire by design."""

import json
from pathlib import Path
from typing import Any

import pytest

from fastagent import Observation
from fastagent_tools.alerting.names import meaning_of
from tests.fastagent_tools.looking import bundle, look


def alert(name: str, **labels: str) -> dict[str, Any]:
    return {
        "status": "firing",
        "labels": {"alertname": name, **labels},
        "annotations": {"description": f"{name} says: beyond its threshold"},
        "startsAt": "2026-01-01T10:00:00Z",
    }


async def overview(root: Path, *alerts: Any) -> Observation:
    return await look(
        bundle(root, {"alert.json": json.dumps({"version": "4", "alerts": list(alerts)})}), "alert_overview"
    )


async def test_an_alert_is_told_with_its_start_its_subject_and_its_own_words(tmp_path: Path) -> None:
    (found,) = (await overview(tmp_path, alert("KubePodCrashLooping", pod="web-1"))).findings
    assert (found.kind, found.entity, found.time, found.severity) == (
        "alert.crash_loop",
        "web-1",
        "2026-01-01T10:00:00Z",
        "info",
    )
    assert "since 2026-01-01T10:00:00Z" in found.statement
    assert found.quote in (tmp_path / "alert.json").read_text()


async def test_a_heartbeat_is_said_to_fire_by_design(tmp_path: Path) -> None:
    (found,) = (await overview(tmp_path, alert("Watchdog"))).findings
    assert (found.kind, found.entity) == ("alert.by_design", "Watchdog")
    assert "no action" in found.statement


async def test_an_alert_that_nobody_knows_is_told_and_not_interpreted(tmp_path: Path) -> None:
    (found,) = (await overview(tmp_path, alert("AcmeBasketsTooFull"))).findings
    assert found.kind == "alert.fired"
    assert "AcmeBasketsTooFull says" in found.statement


async def test_many_alerts_are_capped_and_the_rest_is_counted(tmp_path: Path) -> None:
    seen = await overview(tmp_path, *(alert(f"Acme{n}") for n in range(20)))
    assert len(seen.findings) < 20
    assert "further alerts" in seen.left_out


@pytest.mark.parametrize(
    ("name", "kind"),
    [("PrometheusWatchdog", ""), ("Watchdog", "by_design"), ("CPUThrottlingHigh", "cpu_throttled"), ("KubeNodeUnreachable", "node_down"),
     ("NodeFilesystemAlmostOutOfFiles", "inodes"), ("KubeClientCertificateExpiration", "certificate"), ("AppSlow", "")],
)  # fmt: skip
def test_names_of_common_rule_sets_are_known(name: str, kind: str) -> None:
    found = meaning_of(name)
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize("content", ["[]", "null", '{"alerts": "x"}', '{"alerts": [{"labels": [1]}]}', "{broken"])
async def test_alerts_of_any_shape_do_no_harm(tmp_path: Path, content: str) -> None:
    await look(bundle(tmp_path, {"alert.json": content}), "alert_overview")
