"""`fastagent ask` as a user runs it: of a report, of evidence, and what it says where there is nothing to go by."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FASTAGENT = Path(sys.executable).with_name("fastagent")
LOG = "2026-01-01T10:00:00Z INFO web up\n" * 30 + "2026-01-01T10:05:00Z ERROR web: write: No space left on device\n" * 9


def fastagent(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([FASTAGENT, *arguments], capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "bundle" / "logs").mkdir(parents=True)
    (tmp_path / "bundle" / "logs" / "web.log").write_text(LOG)
    return tmp_path / "bundle"


@pytest.fixture
def report(bundle: Path, tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    assert fastagent("investigate", bundle, "-q", "--format", "json", "-o", path).returncode == 0
    return path


def test_a_report_is_asked_in_words_or_for_a_program(report: Path) -> None:
    told = fastagent("ask", report, "how do you know?")
    assert told.returncode == 0
    assert "│ 2026-01-01T10:05:00Z ERROR web: write: No space left on device" in told.stdout
    value = json.loads(fastagent("ask", report, "what", "should", "I", "do?", "--format", "json").stdout)
    assert (value["question"], value["answer"][0][:2]) == ("what should I do?", "1.")


def test_what_the_report_does_not_tell_is_looked_up_in_the_evidence(report: Path, bundle: Path) -> None:
    told = fastagent("ask", report, "which partition?", "--bundle", bundle, "-q")
    assert told.returncode == 0
    assert "disk-full" in told.stdout
    assert fastagent("ask", "why does web fail?", "--bundle", bundle, "-q").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["why does it fail?"], "--bundle"),
        (["nowhere.json", "when?"], "cannot read the report"),
        (["{other}", "when?"], "no report"),
        (["{report}"], "ask what?"),
        (["{report}", "is the moon full?"], "does not tell"),
    ],
)
def test_what_cannot_be_answered_is_said_in_one_line(
    report: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    done = fastagent("ask", *(a.format(report=report, other=other) for a in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]


def test_a_repair_is_written_beside_the_report(bundle: Path, tmp_path: Path) -> None:
    fix = tmp_path / "fix.sh"
    assert fastagent("investigate", bundle, "-q", "--repair", fix).returncode == 0
    assert subprocess.run(["sh", "-n", fix], check=False).returncode == 0
    assert fastagent("investigate", bundle, "-q", "--repair", tmp_path / "no" / "x.sh").returncode == 2
