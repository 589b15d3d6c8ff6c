"""Every playbook that is installed, ours or yours, keeps these promises. Found, not listed."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import orjson
import pytest

from fastagent.pattern import compile_pattern
from fastagent.playbook import Check, Playbook, examples, front_matter, load_playbooks, match
from fastagent.toolbox import load_tools

PLAYBOOKS = load_playbooks()
IDS = {p.id for p in PLAYBOOKS}
FOLDERS: dict[str, Path] = {
    path.parent.name: path.parent
    for point in entry_points(group="fastagent.playbooks")
    for path in point.load()().glob("*/playbook.yaml")
}

MATCHES = 0.7  # an example scores at least this with its playbook
DIFFERS = 0.5  # a look-alike scores below this

every_playbook = pytest.mark.parametrize("playbook", PLAYBOOKS, ids=lambda p: p.id)


TOOLS = {t.name: t.args for t in load_tools()}


def test_there_are_playbooks_and_no_two_share_a_name() -> None:
    assert PLAYBOOKS
    assert len(IDS) == len(PLAYBOOKS)


@every_playbook
def test_its_skill_is_named_like_its_folder_and_says_when_to_use_it(playbook: Playbook) -> None:
    head = front_matter(FOLDERS[playbook.id] / "SKILL.md")
    assert head["name"] == playbook.id
    assert len(playbook.id) <= 64
    assert 0 < len(head["description"]) <= 1024
    assert not re.search(r"[<>]", head["description"])  # it may end up inside somebody's prompt markup


@every_playbook
def test_its_skill_is_short_enough_to_read_during_an_incident(playbook: Playbook) -> None:
    lines = (FOLDERS[playbook.id] / "SKILL.md").read_text(encoding="utf-8").splitlines()
    assert 40 <= len(lines) <= 80


@every_playbook
def test_its_example_matches_it_first_and_well(playbook: Playbook) -> None:
    best, score = match(PLAYBOOKS, examples(FOLDERS[playbook.id])["example"])[0]
    assert best.id == playbook.id
    assert score >= MATCHES


@every_playbook
def test_its_example_scores_clearly_less_with_every_other(playbook: Playbook) -> None:
    found = examples(FOLDERS[playbook.id])["example"]
    assert all(other.score(found) < DIFFERS for other in PLAYBOOKS if other.id != playbook.id)


@every_playbook
def test_its_example_shows_who_is_to_blame(playbook: Playbook) -> None:
    found = examples(FOLDERS[playbook.id])["example"]
    assert any(f.kind in playbook.component.kinds and f.entity for f in found)


@every_playbook
def test_its_look_alike_has_the_same_face_and_does_not_match(playbook: Playbook) -> None:
    found = examples(FOLDERS[playbook.id])["look_alike"]
    assert playbook.signals_in(found), "nothing alike about it"
    assert playbook.score(found) < DIFFERS


@every_playbook
@pytest.mark.parametrize("name", ["example", "look_alike"])
def test_made_up_findings_say_so(playbook: Playbook, name: str) -> None:
    raw = orjson.loads((FOLDERS[playbook.id] / f"{name}.json").read_bytes())
    assert raw["synthetic"] is True


@every_playbook
def test_its_signals_have_names_of_their_own_and_never_see_everything(playbook: Playbook) -> None:
    assert len({s.id for s in playbook.signals}) == len(playbook.signals)
    assert all(s.kinds or s.pattern for s in playbook.signals)
    assert not any(s.pattern and s.compiled.search("") for s in playbook.signals)


@every_playbook
def test_its_look_alikes_name_playbooks_that_exist(playbook: Playbook) -> None:
    named = {alike.playbook for alike in playbook.look_alikes} - {None}
    assert named <= IDS - {playbook.id}


@every_playbook
def test_it_says_what_to_do_and_how_to_take_it_back(playbook: Playbook) -> None:
    assert playbook.checks
    assert playbook.look_alikes
    assert playbook.component.kinds
    assert any(step.command for step in playbook.remediation)


@every_playbook
def test_its_checks_call_tools_that_exist_with_arguments_they_take(playbook: Playbook) -> None:
    for check in playbook.checks:
        assert check.tool in TOOLS
        TOOLS[check.tool].model_validate({**check.args, **picked(check)})


@every_playbook
def test_the_patterns_in_its_checks_are_re2(playbook: Playbook) -> None:
    for check in playbook.checks:
        compile_pattern(check.pick)
        compile_pattern(check.args.get("pattern", ""))


def picked(check: Check) -> dict[str, str]:
    """The argument that a recorded command line will fill in."""
    return {"command": "df -h"} if check.pick and check.tool == "read_command" else {}
