"""`fastagent playbooks match`: what evidence speaks for, without a model."""

import subprocess
import sys
from pathlib import Path

FASTAGENT = Path(sys.executable).with_name("fastagent")
INCIDENT = Path(__file__).parents[3] / "examples" / "incidents" / "postgres-connections" / "bundle"


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([FASTAGENT, "playbooks", *arguments], capture_output=True, text=True, check=False)


def test_the_playbook_of_an_incident_leads_with_the_quotes_that_show_its_signals() -> None:
    done = run("match", INCIDENT)
    assert done.returncode == 0, done.stderr
    best = done.stdout.splitlines()[0].split()
    assert best[1] == "postgres-connections-exhausted"
    assert float(best[0]) > 0.7
    assert "remaining connection slots are reserved" in done.stdout
    assert "logs/postgres.log:" in done.stdout


def test_evidence_that_speaks_for_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "web.log").write_text("2026-01-01T10:00:00Z INFO web up\n" * 50)
    done = run("match", tmp_path)
    assert (done.returncode, done.stdout) == (0, "none of them fits what was read\n")


def test_a_bundle_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = run("match", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "no such bundle" in done.stderr
