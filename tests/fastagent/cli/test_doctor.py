"""`fastagent doctor` as a user runs it."""

import subprocess
import sys
from pathlib import Path

FASTAGENT = Path(sys.executable).with_name("fastagent")


def doctor(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [FASTAGENT, "doctor", "--pace", "none", *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def test_the_model_in_the_process_gets_five_incidents_right() -> None:
    done = doctor()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 of 5" in done.stdout
    assert "cost unknown" in done.stdout


def test_a_dead_endpoint_ends_it_before_any_incident() -> None:
    done = doctor("--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "FAIL  endpoint" in done.stdout
    assert "oom-kill" not in done.stdout
