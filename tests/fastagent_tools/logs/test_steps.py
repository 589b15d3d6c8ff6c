"""Of a CI log, the command that ended the job and the checks that failed in it."""

from pathlib import Path

import pytest

from fastagent import Observation
from tests.fastagent_tools.looking import bundle, look

FILLER = "".join(f"2026-01-01T10:00:{n:02}.0000000Z compiling part {n}\n" for n in range(40))
GITHUB = (
    "2026-01-01T10:00:00.0000000Z ##[group]Run make build\n"
    + FILLER
    + "2026-01-01T10:01:00.0000000Z ##[group]Run tool audit\n"
    "2026-01-01T10:01:01.0000000Z ##[endgroup]\n"
    "2026-01-01T10:01:02.0000000Z ┌──────┬───────┐\n"
    "2026-01-01T10:01:02.0000000Z │ Part │ knob  │\n"
    "2026-01-01T10:01:03.0000000Z one part is not safe\n"
    "2026-01-01T10:01:04.0000000Z ##[error]Process completed with exit code 3.\n"
)


async def overview(root: Path, log: str) -> Observation:
    return await look(bundle(root, {"logs/ci.log": log}), "log_overview")


async def test_the_step_that_ended_the_job_is_told_with_what_it_said_last(tmp_path: Path) -> None:
    (found,) = (f for f in (await overview(tmp_path, GITHUB)).findings if f.kind == "ci.step")
    assert "`tool audit` ended with exit code 3" in found.statement
    assert "Part knob one part is not safe" in found.statement
    assert found.quote in GITHUB
    assert found.source.line == GITHUB[: GITHUB.index("tool audit")].count("\n") + 1


async def test_a_shell_that_prints_its_commands_names_the_last_one(tmp_path: Path) -> None:
    log = (
        FILLER
        + "+ sh -c tests/run all\n+ Cause: not a command\nit broke\n##[error]Process completed with exit code 1.\n"
    )
    assert any("`sh -c tests/run all`" in f.statement for f in (await overview(tmp_path, log)).findings)


async def test_a_hook_that_failed_is_told_and_those_that_passed_are_not(tmp_path: Path) -> None:
    hooks = (
        "tidy imports.................................^[[42mPassed^[[49m\n^[[2m- hook id: imports^[[0m\n"
        "compile the page.............................^[[41mFailed^[[49m\n^[[2m- hook id: page-compile^[[0m\n"
    )
    seen = await overview(tmp_path, FILLER + hooks + "##[error]Process completed with exit code 1.\n")
    assert [f.statement for f in seen.findings if f.kind == "ci.hook"] == [
        "the hook page-compile (compile the page) failed"
    ]


@pytest.mark.parametrize("log", ["", "exit code\n", FILLER, "##[error]Process completed with exit code 1.\n"])
async def test_a_log_without_a_failing_step_names_none(tmp_path: Path, log: str) -> None:
    assert not [f for f in (await overview(tmp_path, log)).findings if f.kind == "ci.step"]
