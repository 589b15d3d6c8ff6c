"""What a copy of a status page says is degraded, and what is no news."""

import json
from pathlib import Path
from typing import Any

import pytest

from fastagent import Observation
from tests.fastagent_tools.looking import bundle, look

INCIDENT = '{"title": "uploads fail", "started_at": "2026-01-01T10:00:00Z", "services": ["web"]}'


async def page(root: Path, value: Any, name: str = "provider_status.json") -> Observation:
    content = value if isinstance(value, str) else json.dumps(value, indent=1)
    return await look(bundle(root, {"incident.json": INCIDENT, name: content}), "cloud_overview")


def event(status: str, **more: Any) -> dict[str, Any]:
    return {"service": "Blob store", "region": "eu-9", "status": status, "detail": f"Blob store: {status}", **more}


async def test_a_degraded_service_is_told_in_the_pages_own_words(tmp_path: Path) -> None:
    seen = await page(
        tmp_path, {"source": "cloud-health", "events": [event("degraded", started_at="2026-01-01T09:58:00Z")]}
    )
    (found,) = (f for f in seen.findings if f.severity == "error")
    assert (found.kind, found.entity, found.time) == ("cloud.provider.degraded", "", "2026-01-01T09:58:00Z")
    assert "eu-9" in found.statement
    assert found.quote in (tmp_path / "provider_status.json").read_text()


@pytest.mark.parametrize("key", ["components", "incidents", "services", "events"])
async def test_status_pages_call_their_lists_differently(tmp_path: Path, key: str) -> None:
    seen = await page(tmp_path, {key: [event("partial_outage")]})
    assert [f.kind for f in seen.findings] == ["cloud.provider.degraded"]


@pytest.mark.parametrize(
    "entry",
    [
        event("operational"),
        event("major_outage", resolved_at="2026-01-01T09:00:00Z"),
        event("outage", started_at="2025-06-01T09:00:00Z"),
    ],
    ids=["well", "over", "long ago"],
)
async def test_what_is_well_over_or_old_is_no_alarm(tmp_path: Path, entry: dict[str, Any]) -> None:
    assert not [f for f in (await page(tmp_path, {"events": [entry]})).findings if f.severity != "info"]


@pytest.mark.parametrize("content", ["{broken", "[]", '"x"', '{"events": {"a": 1}}', '{"events": [1, null, []]}'])
async def test_a_page_of_the_wrong_shape_does_no_harm(tmp_path: Path, content: str) -> None:
    assert not [f for f in (await page(tmp_path, content)).findings if f.severity != "info"]
