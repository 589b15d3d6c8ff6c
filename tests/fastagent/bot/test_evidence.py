import json
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from fastagent.bot.evidence import gather
from fastagent.bot.queue import Entry
from fastagent.bot.settings import Settings
from fastagent.bundle import Bundle
from fastagent.state import Incident
from tests.fastagent.bot.bot_parts import Clock, alert
from tests.fastagent.bot.test_prometheus import Played

ENTRY = Entry("i1", "Errors", "", (alert(),), "running", 0.0, 0.0, None, 1, None, None)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    logs = tmp_path / "bundles" / "disk" / "logs"
    logs.mkdir(parents=True)
    (logs / "web.log").write_text("ERROR no space\n")
    (tmp_path / "secret").mkdir()
    (tmp_path / "bundles" / "out").symlink_to(tmp_path / "secret")
    return Settings(tmp_path / "bot.db", bundles=tmp_path / "bundles")


async def gathered(entry: Entry, settings: Settings) -> Bundle | Incident:
    async with httpx2.AsyncClient(transport=Played()) as client:
        return await gather(entry, settings, client, Clock())


async def test_the_alert_names_its_bundle_and_fills_its_incident(settings: Settings) -> None:
    found = await gathered(replace(ENTRY, bundle="disk"), settings)
    assert isinstance(found, Bundle)
    assert [f.path for f in found.files] == ["logs/web.log"]
    assert (found.incident.title, found.incident.services) == ("Errors", ("web",))


@pytest.mark.parametrize(
    "name", ["../secret", "..", "/etc", "out", "disk/../disk", "a..b", "", "nope", "x" * 500, "\x00"]
)
async def test_only_a_plain_name_below_the_granted_folder_leads_anywhere(settings: Settings, name: str) -> None:
    found = await gathered(replace(ENTRY, bundle=name), settings)
    assert isinstance(found, Incident)
    assert ("bundle" in found.notes) is bool(name)


async def test_without_a_granted_folder_no_name_leads_anywhere(settings: Settings) -> None:
    found = await gathered(replace(ENTRY, bundle="disk"), replace(settings, bundles=None))
    assert isinstance(found, Incident)


async def test_live_metrics_become_a_bundle_that_can_be_replayed(settings: Settings) -> None:
    found = await gathered(ENTRY, replace(settings, prometheus="http://prom.invalid"))
    assert isinstance(found, Bundle)
    assert "metrics/live-up.json" in {f.path for f in found.of_part("metrics")}
    again = Bundle.open(settings.recordings / "i1")
    assert (again.incident.title, again.incident.started_at) == ("Errors", "2026-01-02T03:04:05Z")
    assert {f.path for f in again.of_part("metrics")} == {f.path for f in found.of_part("metrics")}


async def test_a_bundle_and_live_metrics_are_read_together(settings: Settings) -> None:
    found = await gathered(replace(ENTRY, bundle="disk"), replace(settings, prometheus="http://prom.invalid"))
    assert isinstance(found, Bundle)
    assert {f.part for f in found.files} == {"log", "metrics"}
    assert json.loads(found.locate("metrics/live-up.json").read_bytes())["status"] == "success"
    assert found.locate("logs/web.log").read_text() == "ERROR no space\n"


async def test_a_prometheus_that_has_nothing_is_a_gap(settings: Settings) -> None:
    async with httpx2.AsyncClient(transport=Played([])) as client:
        found = await gather(ENTRY, replace(settings, prometheus="http://prom.invalid"), client, Clock())
    assert isinstance(found, Bundle)
    assert [g.reason for g in found.gaps] == ["absent"]
