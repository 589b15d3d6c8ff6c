"""Every recorded incident, investigated as a user would: right, grounded, in time, and unknown without evidence."""

import json
from pathlib import Path

import pytest

from fastagent import Agent, Budget
from fastagent.bundle import Bundle
from fastagent.grounding import fold
from fastagent.report.jsonfile import render
from fastagent.state import Report
from fastagent.toolbox import load_tools, withheld

ROOT = Path(__file__).parents[2] / "examples" / "incidents"
INCIDENTS = sorted(p.parent for p in ROOT.glob("*/expected.json"))
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda p: p.name)


async def investigated(incident: Path, tier: str = "ultrafast") -> Report:
    return await Agent(tier=tier).investigate(incident / "bundle", Budget(total_s=30))


@each
async def test_the_right_component_category_and_playbook_are_named(incident: Path) -> None:
    expected = json.loads((incident / "expected.json").read_text())
    report = await investigated(incident)
    cause = report.root_cause
    assert cause is not None
    assert cause.component in expected["component"]
    assert (cause.category, cause.label) == (expected["category"], expected["label"])
    assert report.status == "complete"
    assert not any(word in cause.statement for word in expected["forbidden"])


@each
async def test_every_quote_stands_verbatim_in_the_file_or_output_it_names(incident: Path) -> None:
    report = await investigated(incident)
    commands = json.loads((incident / "bundle" / "commands.json").read_text())
    assert report.evidence
    for item in report.evidence:
        source = item.source
        text = commands[source.command] if source.command else (incident / "bundle" / str(source.file)).read_text()
        assert fold(item.quote) in fold(text)
        if source.line and source.file:
            assert fold(item.quote) in fold("\n".join(text.splitlines()[source.line - 1 : source.line + 5]))


@each
async def test_both_tiers_give_the_same_answer(incident: Path) -> None:
    fast, slow = [await investigated(incident, tier) for tier in ("ultrafast", "default")]
    assert fast.root_cause == slow.root_cause
    assert fast.evidence == slow.evidence
    assert fast.remediation == slow.remediation


@each
async def test_with_evidence_withheld_the_verdict_is_unknown(incident: Path) -> None:
    agent = Agent([withheld(t) for t in load_tools()])
    report = await agent.investigate(incident / "bundle", Budget(total_s=30))
    assert report.root_cause is not None
    assert (report.root_cause.category, report.root_cause.verdict) == ("unknown", "INCONCLUSIVE")
    assert report.root_cause.component == ""
    assert not report.evidence


async def test_a_planted_password_never_reaches_the_report() -> None:
    incident = ROOT / "postgres-connections"
    log = (incident / "bundle" / "logs" / "checkout-api.log").read_text()
    assert "pl4nted-s3cret" in log
    assert "pl4nted-s3cret" not in render(await investigated(incident))
    triaged = await Agent().investigate(Bundle.of_logs([incident / "bundle" / "logs"]), Budget(total_s=30))
    assert "pl4nted-s3cret" not in render(triaged)
