from pathlib import Path

import pytest

from tests.fastagent_tools.looking import bundle, look

INCIDENT = '{"title": "slow", "started_at": "2026-01-01T10:40:00Z", "services": ["web", "cart"]}'


def rows(service: str, metric: str, normal: float, bad: float) -> str:
    return "".join(
        f"2026-01-01T10:{m:02d}:00Z,{service},{metric},{(bad if m >= 40 else normal) + (m % 3) / 100}\n"
        for m in range(60)
    )


def csv(*parts: str) -> str:
    return "timestamp,service,metric,value\n" + "".join(parts)


async def test_what_saturates_ranks_above_what_merely_moves_and_quotes_its_row(tmp_path: Path) -> None:
    table = csv(
        rows("web", "latency_p99", 1, 9), rows("cart", "cpu_usage_percent", 12, 97), rows("cart", "requests", 9, 9)
    )
    seen = await look(bundle(tmp_path, {"incident.json": INCIDENT, "metrics/m.csv": table}), "metrics_overview")
    assert [(f.entity, f.kind) for f in seen.findings] == [("cart", "metric.saturation"), ("web", "metric.latency")]
    best = seen.findings[0]
    assert best.quote == table.splitlines()[(best.source.line or 0) - 1]
    assert best.time == "2026-01-01T10:40:00Z"
    assert seen.examined == 180


async def test_metrics_that_kept_their_course_alarm_nobody(tmp_path: Path) -> None:
    table = csv(rows("web", "latency_p99", 1, 1), rows("cart", "cpu_usage_percent", 12, 12))
    seen = await look(bundle(tmp_path, {"incident.json": INCIDENT, "metrics/m.csv": table}), "metrics_overview")
    assert (seen.findings, seen.examined) == ((), 120)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("metrics/m.csv", "service,metric,value\nweb,m,1\n", "no column of times"),
        ("metrics/m.json", "{broken", "m.json"),
        ("metrics/m.csv", b"\x00\x01\x02", "m.csv"),
        ("metrics/m.csv.gz", b"\x1f\x8bnot gzip", "m.csv.gz"),
    ],
)
async def test_what_cannot_be_read_is_a_gap(tmp_path: Path, name: str, content: str | bytes, said: str) -> None:
    seen = await look(bundle(tmp_path, {name: content}), "metrics_overview")
    assert seen.findings == ()
    assert any(said in gap.source for gap in seen.gaps)
