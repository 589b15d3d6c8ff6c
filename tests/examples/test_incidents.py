"""The recorded incidents: well-formed, free of this machine, and their answer nowhere the agent can see it."""

import csv
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "examples" / "incidents"
INCIDENTS = sorted(p.parent for p in ROOT.glob("*/record.py"))
FIELDS = {"id", "component", "label", "category", "keywords", "forbidden", "commit", "decoys", "lines", "line_file"}
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda p: p.name)


def texts(incident: Path) -> dict[str, str]:
    return {str(p): p.read_text(encoding="utf-8") for p in (incident / "bundle").rglob("*") if p.is_file()}


def test_there_are_incidents() -> None:
    assert INCIDENTS


@each
def test_a_bundle_is_well_formed(incident: Path) -> None:
    for name in ("incident.json", "commands.json", "alert.json", "topology.json"):
        assert json.loads((incident / "bundle" / name).read_text())
    for path in (incident / "bundle" / "metrics").glob("*.csv"):
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert set(rows[0]) == {"timestamp", "service", "metric", "value"}
        assert all(float(r["value"]) >= 0 for r in rows)


@each
def test_the_answer_stands_beside_the_bundle_and_not_in_the_title(incident: Path) -> None:
    expected = json.loads((incident / "expected.json").read_text())
    assert set(expected) >= FIELDS
    assert not list((incident / "bundle").rglob("expected*"))
    told = json.loads((incident / "bundle" / "incident.json").read_text())
    for component in expected["component"]:
        assert component not in told["title"] + told["context"]


@each
def test_a_recording_names_no_machine(incident: Path) -> None:
    for path, text in texts(incident).items():
        assert not re.search(r"/(?:home|root|tmp|work|usr/lib|var/lib)/", text), path


@pytest.mark.skipif(
    not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="Debian's postgresql is not installed"
)
def test_the_postgres_incident_can_be_recorded_again(tmp_path: Path) -> None:
    record = ROOT / "postgres-connections" / "record.py"
    subprocess.run([sys.executable, record, "-o", tmp_path, "--quick"], check=True, timeout=90, capture_output=True)
    again, kept = (
        {str(p.relative_to(d)) for p in d.rglob("*")} for d in (tmp_path / "bundle", record.parent / "bundle")
    )
    assert again == kept
    sessions = next(
        v for k, v in json.loads((tmp_path / "bundle" / "commands.json").read_text()).items() if "count(*)" in k
    )
    assert re.search(r"report-scheduler \| idle in transaction \| +2\d", sessions)


def test_a_recorder_without_a_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["record.py"])
    monkeypatch.setattr(Path, "glob", lambda *_: iter(()))
    with pytest.raises(SystemExit, match="postgresql"):
        runpy.run_path(str(ROOT / "postgres-connections" / "record.py"), run_name="__main__")
