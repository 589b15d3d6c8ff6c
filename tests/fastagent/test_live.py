"""Commands that really run: bounded, remembered, ended, and never more than the allowlist takes."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from fastagent import live
from fastagent.errors import ToolError
from fastagent.live import LiveCommands


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs of our own that comes first."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


async def test_what_a_command_prints_is_remembered_and_it_is_not_run_again(programs: Path) -> None:
    program(programs, "df", 'echo "$@" >> "$0.calls"; echo "100% /data"')
    commands = LiveCommands()
    assert await commands.run("df  -h") == await commands.run("df -h") == "100% /data\n"
    assert (programs / "df.calls").read_text() == "-h\n"
    assert commands.outputs == {"df -h": "100% /data\n"}


async def test_what_is_recorded_is_answered_without_running_anything(programs: Path) -> None:
    program(programs, "df", "exit 1")
    commands = LiveCommands({"df -h": "recorded"})
    assert await commands.run("df -h") == "recorded"
    assert "df -h" in commands.known()


async def test_what_is_not_allowed_is_not_run(programs: Path) -> None:
    program(programs, "reboot", 'touch "$0.done"')
    with pytest.raises(ToolError, match="not allowed"):
        await LiveCommands().run("reboot")
    assert not (programs / "reboot.done").exists()


async def test_a_status_other_than_0_may_still_tell_something(programs: Path) -> None:
    program(programs, "systemctl", "echo 'nginx.service failed'; exit 3")
    assert "failed" in await LiveCommands().run("systemctl status nginx")


async def test_a_program_that_finds_nobody_to_ask_is_a_gap_and_no_fault(programs: Path) -> None:
    program(programs, "docker", "echo 'Cannot connect to the Docker daemon at unix:///x' >&2; exit 1")
    with pytest.raises(ToolError, match="cannot look there"):
        await LiveCommands().run("docker ps")


async def test_a_command_that_hangs_is_ended_with_all_it_started(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "TIMEOUT_S", 0.3)
    program(programs, "df", 'sleep 60 & echo $! > "$0.child"; wait')
    with pytest.raises(ToolError, match="no answer within"):
        await LiveCommands().run("df -h")
    await asyncio.to_thread(_until_gone, int((programs / "df.child").read_text()))


async def test_a_run_that_is_cancelled_leaves_nothing_behind(programs: Path) -> None:
    program(programs, "df", 'echo $$ > "$0.pid"; sleep 60')
    task = asyncio.create_task(LiveCommands().run("df -h"))
    pid = await asyncio.to_thread(_written, programs / "df.pid")
    task.cancel()
    await asyncio.wait([task])
    await asyncio.to_thread(_until_gone, pid)


def _written(path: Path) -> int:
    """The number in a file, once it is there."""
    for _ in range(500):
        text = path.read_text() if path.exists() else ""
        if text.endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


def _until_gone(pid: int) -> None:
    """Killed children become nobody's and are reaped by the system a moment later."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.01)
    raise AssertionError(f"{pid} still runs")


async def test_of_a_past_time_logs_are_asked_and_what_shows_the_present_is_a_gap(programs: Path) -> None:
    for name in ("journalctl", "df"):
        program(programs, name, 'echo "$0 $@"')
    commands = LiveCommands(around=("2026-01-01 09:30:00", "2026-01-01 10:10:00"))
    (asked,) = (line for line in commands.known() if line.startswith("journalctl"))
    assert "--since 2026-01-01 09:30:00 --until 2026-01-01 10:10:00" in await commands.run(asked)
    assert not commands.gaps
    await commands.run("df -h")
    (gap,) = commands.gaps
    assert (gap.reason, gap.source.split(":")[0]) == ("absent", "df")
    assert LiveCommands().gaps == ()
