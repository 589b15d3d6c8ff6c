"""`fastagent eval` as a user runs it: in parallel, resumable, and never reading the answer before the report."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FASTAGENT = Path(sys.executable).with_name("fastagent")
LOG = (
    "2026-01-01T10:00:00Z INFO web up\n" * 30
    + "2026-01-01T10:05:00Z ERROR web: cannot write: No space left on device\n" * 9
)


def case(root: Path, name: str, category: str = "resource_exhaustion") -> None:
    folder = root / "some" / name
    (folder / "bundle" / "logs").mkdir(parents=True)
    (folder / "bundle" / "logs" / "web.log").write_text(LOG)
    (folder / "expected.json").write_text(json.dumps({"component": ["web"], "category": category}))


def evaluate(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [FASTAGENT, "eval", "--pace", "none", *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def test_every_case_gets_a_report_and_the_shares_are_counted(tmp_path: Path) -> None:
    case(tmp_path / "cases", "one")
    case(tmp_path / "cases", "two", category="network")
    done = evaluate(tmp_path / "cases", "-o", tmp_path / "out", "-j", "2")
    assert done.returncode == 0, done.stderr
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"one.json", "two.json"}
    assert "category      1 of 2, 0.50" in done.stdout
    assert json.loads((tmp_path / "out" / "one.json").read_text())["root_cause"]["category"] == "resource_exhaustion"


def test_what_is_done_is_not_done_again_unless_asked(tmp_path: Path) -> None:
    case(tmp_path / "cases", "one")
    report = tmp_path / "out" / "one.json"
    report.parent.mkdir()
    report.write_text('{"status": "complete", "root_cause": null, "timing": {"wall_s": 1}}')
    assert "1 done before" in evaluate(tmp_path / "cases", "-o", tmp_path / "out").stderr
    assert json.loads(report.read_text())["root_cause"] is None
    assert evaluate(tmp_path / "cases", "-o", tmp_path / "out", "--again").returncode == 0
    assert json.loads(report.read_text())["root_cause"]


def test_a_case_with_nothing_in_it_fails_and_the_others_go_on(tmp_path: Path) -> None:
    case(tmp_path / "cases", "one")
    (tmp_path / "cases" / "empty" / "bundle").mkdir(parents=True)
    done = evaluate(tmp_path / "cases", "-o", tmp_path / "out")
    assert done.returncode == 1
    nothing = json.loads((tmp_path / "out" / "empty.json").read_text())
    assert nothing["status"] == "failed"
    assert nothing["root_cause"]["category"] == "unknown"
    assert json.loads((tmp_path / "out" / "one.json").read_text())["status"] == "complete"


@pytest.mark.parametrize("root", ["nowhere", "."])
def test_a_folder_without_cases_is_told(tmp_path: Path, root: str) -> None:
    done = evaluate(tmp_path / root, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "no cases there" in done.stderr
    assert "Traceback" not in done.stderr


def test_names_can_be_exchanged_and_the_answer_is_told_in_the_old_ones(tmp_path: Path) -> None:
    case(tmp_path / "cases", "one")
    (tmp_path / "cases" / "some" / "one" / "bundle" / "incident.json").write_text(
        '{"title": "x", "services": ["web", "cart"]}'
    )
    assert evaluate(tmp_path / "cases", "-o", tmp_path / "plain").returncode == 0
    done = evaluate(tmp_path / "cases", "--relabel", "-o", tmp_path / "new", "--compare", tmp_path / "plain")
    assert done.returncode == 0, done.stderr
    assert "same verdict  1 of 1" in done.stdout
    assert json.loads((tmp_path / "new" / "one.json").read_text())["root_cause"]["component"] == "web"


def test_without_what_it_cited_an_answer_falls(tmp_path: Path) -> None:
    case(tmp_path / "cases", "one")
    assert evaluate(tmp_path / "cases", "-o", tmp_path / "plain").returncode == 0
    page = tmp_path / "result.html"
    done = evaluate(
        tmp_path / "cases", "--uncited", "-o", tmp_path / "new", "--compare", tmp_path / "plain", "--html", page
    )
    assert "less sure     1 of 1" in done.stdout
    assert "one" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--uncited"], "--compare"),
        (["--uncited", "--relabel"], "one of them"),
        (["--compare", "nowhere"], "no folder of reports"),
        (["--html", "nowhere/x.html"], "cannot write the page"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    case(tmp_path / "cases", "one")
    done = evaluate(tmp_path / "cases", "-o", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("what", ["evidence", "playbooks", "topology", "traces", "verification"])
def test_each_ablation_gives_reports(tmp_path: Path, what: str) -> None:
    case(tmp_path / "cases", "one")
    evaluate(tmp_path / "cases", "-o", tmp_path / "out", "--ablate", what)
    cause = json.loads((tmp_path / "out" / "one.json").read_text())["root_cause"]
    assert (cause["category"] == "unknown") == (what == "evidence")
