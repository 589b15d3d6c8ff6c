"""A repair as a script, run by a real shell: it shows, it does only when told, and hostile names stay words."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fastagent.report.repair import script
from fastagent.state import Evidence, Remediation, Report, RootCause, Source

CAUSE = RootCause("web", "network", "web: it fails", 0.9, "CONFIRMED", "some-label")
STEP = Remediation("make a mark", "low", "take the mark away", "the mark is there", "echo done > <file name>")


def report(*steps: Remediation, evidence: tuple[Evidence, ...] = (), cause: RootCause | None = CAUSE) -> Report:
    return Report("complete", "x", {"title": "t"}, cause, remediation=steps, evidence=evidence)


def shown(text: str, tmp_path: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    file = tmp_path / "fix.sh"
    file.write_text(text)
    environment = {"PATH": "/usr/bin:/bin", **variables}
    return subprocess.run(
        ["sh", file, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )


def saw(command: str, quote: str) -> Evidence:
    return Evidence("e1", "c", quote, Source(command=command), ("h1",), (), verified=True)


def test_it_shows_what_it_would_run_and_does_nothing(tmp_path: Path) -> None:
    done = shown(script(report(STEP)), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "would run: echo done > <file name>" in done.stdout
    assert "verify: the mark is there" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fix.sh"]


def test_applied_it_asks_for_what_is_open_before_it_does_anything(tmp_path: Path) -> None:
    first = replace(STEP, command="touch first")
    text = script(report(first, STEP))
    refused = shown(text, tmp_path, "--apply")
    assert (refused.returncode, "FIX_FILE_NAME" in refused.stderr) == (2, True)
    assert not (tmp_path / "first").exists()
    assert shown(text, tmp_path, "--apply", FIX_FILE_NAME="mark").returncode == 0
    assert (tmp_path / "mark").read_text() == "done\n"


def test_what_is_well_again_is_not_repaired(tmp_path: Path) -> None:
    step = replace(STEP, command="touch mark")
    (tmp_path / "uptime").write_text("#!/bin/sh\necho $SAYS\n")
    (tmp_path / "uptime").chmod(0o755)
    text = script(report(step, evidence=(saw("uptime", "broken 17 times"),)))
    path = f"{tmp_path}:/usr/bin:/bin"
    done = shown(text, tmp_path, "--apply", PATH=path, SAYS="all is fine")
    assert (done.returncode, "no longer so" in done.stderr, (tmp_path / "mark").exists()) == (3, True, False)
    assert shown(text, tmp_path, "--apply", PATH=path, SAYS="broken 99 times").returncode == 0
    assert (tmp_path / "mark").exists()


def test_a_recorded_command_that_may_not_be_run_is_left_to_the_reader(tmp_path: Path) -> None:
    done = shown(script(report(STEP, evidence=(saw("touch owned; uptime", "broken"),))), tmp_path)
    assert "make sure that this still says 'broken'" in done.stdout
    assert not (tmp_path / "owned").exists()


def test_the_way_back_is_told_last_step_first(tmp_path: Path) -> None:
    text = script(report(STEP, replace(STEP, rollback="and this before")))
    assert shown(text, tmp_path, "--rollback").stdout.splitlines() == ["2. and this before", "1. take the mark away"]


@pytest.mark.parametrize(
    "name", ["x; touch owned", "$(touch owned)", "`touch owned`", "' ; touch owned #", "a\ntouch owned"]
)
def test_a_hostile_name_never_becomes_code(tmp_path: Path, name: str) -> None:
    cause = replace(CAUSE, component=name, statement=f"{name}: fails")
    step = Remediation(f"restart {name}", "low", f"undo {name}", f"see {name}", f"echo restart {name}")
    text = script(report(step, evidence=(saw(f"echo {name!r}", name),), cause=cause))
    for mode in ("--show", "--rollback", "--apply"):
        shown(text, tmp_path, mode, FIX_COMPONENT="web")
    assert not (tmp_path / "owned").exists()


def test_without_steps_it_says_so(tmp_path: Path) -> None:
    assert "names no step" in shown(script(report(cause=None)), tmp_path).stdout
    by_hand = replace(STEP, command=None)
    assert "by hand: make a mark" in shown(script(report(by_hand)), tmp_path).stdout


def test_another_mode_is_refused(tmp_path: Path) -> None:
    assert shown(script(report(STEP)), tmp_path, "--do-it").returncode == 2
