import json
from pathlib import Path

from tests.fastagent_tools.looking import bundle, look


async def test_the_health_of_targets_is_read_from_a_command_with_its_reason(tmp_path: Path) -> None:
    health = {"State": "unhealthy", "Reason": "Target.Timeout", "Description": "Request timed out"}
    command = "aws elbv2 describe-target-health"
    text = json.dumps({"TargetHealthDescriptions": [{"Target": {"Id": "i-1"}, "TargetHealth": health}]}, indent=1)
    seen = await look(bundle(tmp_path, {}, {command: text}), "read_command", command=command)
    said = {f.kind: f.statement for f in seen.findings}
    assert "Target.Timeout" in said["cloud.status"]
    assert all(f.quote in text and f.quote for f in seen.findings)


async def test_a_metric_from_a_command_is_judged_like_one_of_the_bundle(tmp_path: Path) -> None:
    points = [
        {"Timestamp": f"2026-03-02T10:{n:02d}:00Z", "Average": 20.0 if n < 3 else 97.0, "Unit": "Percent"}
        for n in range(12)
    ]
    command = "aws cloudwatch get-metric-statistics --metric-name CPUUtilization"
    text = json.dumps({"Label": "CPUUtilization", "Datapoints": points[::-1]})
    seen = await look(bundle(tmp_path, {}, {command: text}), "read_command", command=command)
    assert seen.findings[0].kind == "cloud.metric.saturated"
