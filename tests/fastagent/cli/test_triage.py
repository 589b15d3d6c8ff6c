"""What is particular to `fastagent triage`, run as a user runs it."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

FASTAGENT = Path(sys.executable).with_name("fastagent")
QUIET = "2026-01-01T10:{m:02d}:{s:02d}Z INFO web: GET /orders/{n} 200\n"
NOISE = "2026-01-01T10:{m:02d}:{s:02d}Z ERROR audit: denied for user {n}\n"
NEWS = "2026-01-01T10:{m:02d}:{s:02d}Z ERROR store: cannot place order {n}: ledger says no\n"


def log(path: Path, *templates: str, minutes: range = range(30)) -> Path:
    lines = (t.format(m=m, s=s, n=m * 60 + s) for m in minutes for s in range(0, 60, 10) for t in templates)
    path.write_text("".join(lines))
    return path


def triage(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([FASTAGENT, "triage", "--quiet", *arguments], capture_output=True, text=True, check=False)


def report(*arguments: str | Path) -> dict[str, Any]:
    done = triage("--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_a_baseline_tells_what_is_new_from_what_was_always_there(tmp_path: Path) -> None:
    good = log(tmp_path / "good.log", QUIET, NOISE)
    bad = log(tmp_path / "bad.log", NOISE, NEWS)
    found = report(bad, "--baseline", good, "--no-model")
    assert found["logs"]["key_lines"][0]["file"].endswith("bad.log")
    assert "not in the baseline" in found["logs"]["key_lines"][0]["why"]
    told = found["logs"]["baseline"]
    assert "cannot place order" in told["new"][0]["template"]
    assert "GET" in told["gone"][0]["template"]
    assert found["logs"]["found"]["new"] == 1


def test_a_log_like_its_baseline_has_nothing_new(tmp_path: Path) -> None:
    good, same = log(tmp_path / "good.log", QUIET, NOISE), log(tmp_path / "same.log", QUIET, NOISE)
    found = report(same, "--baseline", good, "--no-model")
    assert found["logs"]["found"]["new"] == 0
    assert found["logs"]["baseline"]["new"] == []


@pytest.mark.parametrize(
    ("option", "status"), [("error", 4), ("new", 4), ("burst", 0)], ids=["any error", "a new error", "no burst"]
)
def test_it_fails_on_what_it_was_told_to_fail_on(tmp_path: Path, option: str, status: int) -> None:
    good, bad = log(tmp_path / "good.log", QUIET), log(tmp_path / "bad.log", QUIET, NEWS)
    assert triage(bad, "--baseline", good, "--fail-on", option).returncode == status


def test_a_healthy_log_does_not_fail(tmp_path: Path) -> None:
    assert triage(log(tmp_path / "good.log", QUIET), "--fail-on", "error").returncode == 0


def test_only_the_time_that_was_asked_for_is_judged(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log", NEWS, minutes=range(10))
    with path.open("a") as file:
        file.writelines(QUIET.format(m=m, s=0, n=m) for m in range(20, 50))
    assert report(path, "--last", "10m")["logs"]["severity"] == "info"
    assert report(path, "--until", "2026-01-01T10:15:00Z")["logs"]["severity"] == "error"
    assert report(path, "--since", "2026-01-01T10:15:00Z")["logs"]["severity"] == "info"


def test_without_a_model_nobody_is_asked_and_the_report_says_so(tmp_path: Path) -> None:
    found = report(log(tmp_path / "a.log", QUIET, NEWS), "--no-model")
    assert found["answered_by"] == "no model"
    assert found["status"] == "complete"
    assert found["usage"]["model_calls"] == 0
    assert found["evidence"]


def test_without_a_model_a_healthy_log_has_no_root_cause(tmp_path: Path) -> None:
    found = report(log(tmp_path / "a.log", QUIET), "--no-model")
    assert found["root_cause"] is None


def test_a_dry_run_shows_what_would_be_sent_without_secrets_and_sends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("2026-01-01T10:00:00Z ERROR web: login failed password=hunter2hunter2 for 10.1.2.3\n" * 3)
    done = triage(path, "--dry-run", "--base-url", "http://127.0.0.1:9")
    assert done.returncode == 0
    assert "login failed" in done.stdout
    assert "hunter2" not in done.stdout
    assert "10.1.2.3" not in done.stdout


@pytest.mark.parametrize("given", [("--last", "5m", "--since", "x"), ("--baseline", "nowhere"), ("--fail-on", "x")])
def test_a_wrong_use_is_told_in_one_line(tmp_path: Path, given: tuple[str, ...]) -> None:
    done = triage(log(tmp_path / "a.log", QUIET), *given)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_pipe_that_stays_open_is_waited_for_only_so_long() -> None:
    began = time.monotonic()
    with subprocess.Popen(
        [FASTAGENT, "triage", "-", "--quiet", "--sla", "3s", "--format", "json"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write("2026-01-01T10:00:00Z ERROR web: No space left on device\n" * 40)
        running.stdin.flush()
        found = json.loads(running.stdout.read())
        assert running.wait(10) == 0
    assert time.monotonic() - began < 5  # the deadline and the process's own end
    assert found["timing"]["overrun_s"] == 0.0
    assert found["logs"]["lines"] == 40
    assert any("standard input" in gap["source"] for gap in found["gaps"])
