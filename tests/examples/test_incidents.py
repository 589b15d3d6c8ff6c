"""The recorded incidents: well-formed, free of this machine, and their answer nowhere the agent can see it."""

import csv
import getpass
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2] / "examples" / "incidents"
INCIDENTS = sorted(p.parent for p in ROOT.glob("*/record.py"))
RECORD = ROOT / "postgres-connections" / "record.py"
FIELDS = {
    "id", "source", "licence", "split", "task", "component", "candidates", "label", "category", "keywords", "forbidden",
    "commit", "decoys", "lines", "line_file", "notes",
}  # fmt: skip
LARGEST_BYTES = 300_000
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda p: p.name)
with_postgres = pytest.mark.skipif(
    not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="Debian's postgresql is not installed"
)


def texts(incident: Path) -> dict[str, str]:
    return {str(p): p.read_text(encoding="utf-8") for p in (incident / "bundle").rglob("*") if p.is_file()}


def told(incident: Path, name: str) -> Any:
    return json.loads((incident / "bundle" / name).read_text())


def samples(incident: Path) -> list[dict[str, str]]:
    files = sorted((incident / "bundle" / "metrics").glob("*.csv"))
    return [row for path in files for row in csv.DictReader(path.read_text().splitlines())]


def test_there_are_incidents() -> None:
    assert INCIDENTS


@each
def test_a_bundle_is_well_formed(incident: Path) -> None:
    assert {"title", "started_at", "services", "namespace", "context"} <= set(told(incident, "incident.json"))
    assert all(isinstance(text, str) for text in told(incident, "commands.json").values())
    assert told(incident, "alert.json")["version"] == "4"
    assert all(len(pair) == 2 for pair in told(incident, "topology.json")["calls"])
    assert sum(len(text.encode()) for text in texts(incident).values()) < LARGEST_BYTES


@each
def test_metrics_cover_the_time_before_and_after_the_alert(incident: Path) -> None:
    rows = samples(incident)
    assert set(rows[0]) == {"timestamp", "service", "metric", "value"}
    assert all(float(row["value"]) >= 0 for row in rows)
    times = [datetime.fromisoformat(row["timestamp"]) for row in rows]
    alerted_at = datetime.fromisoformat(told(incident, "alert.json")["alerts"][0]["startsAt"])
    assert times == sorted(times)
    assert times[0] < alerted_at < times[-1]


@each
def test_the_answer_stands_beside_the_bundle_and_not_in_what_the_caller_says(incident: Path) -> None:
    expected = json.loads((incident / "expected.json").read_text())
    assert set(expected) == FIELDS
    assert not list((incident / "bundle").rglob("expected*"))
    incident_told = told(incident, "incident.json")
    said = incident_told["title"] + incident_told["context"] + json.dumps(told(incident, "alert.json"))
    assert not [component for component in expected["component"] if component in said]
    assert expected["component"][0] in incident_told["services"]


@each
def test_a_recording_names_no_machine(incident: Path) -> None:
    here = {socket.gethostname(), getpass.getuser()} - {"localhost", "postgres"}
    for path, whole in texts(incident).items():
        text = whole.replace("vm.overcommit_memory", "")  # Redis speaks of a kernel setting, not of a host
        assert not re.search(r"/(?:home|root|tmp|work|usr/lib|var/lib)/", text), path
        assert not [name for name in here if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)], path


def test_the_one_who_leaks_is_the_one_whose_log_holds_no_complaint() -> None:
    logs = RECORD.parent / "bundle" / "logs"
    complaining = {p.stem for p in logs.iterdir() if re.search("error|fatal|warn", p.read_text(), re.IGNORECASE)}
    assert complaining == {"checkout-api", "inventory-worker", "metrics-exporter", "postgres"}


@with_postgres
def test_the_postgres_incident_can_be_recorded_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, RECORD, "-o", tmp_path, "--quick"], check=True, timeout=90, capture_output=True)
    again, kept = (
        {str(p.relative_to(d)) for p in d.rglob("*")} for d in (tmp_path / "bundle", RECORD.parent / "bundle")
    )
    assert again == kept
    assert list(told(tmp_path, "commands.json")) == list(told(RECORD.parent, "commands.json"))
    assert (tmp_path / "expected.json").read_text() == (RECORD.parent / "expected.json").read_text()
    sessions = next(v for k, v in told(tmp_path, "commands.json").items() if "count(*)" in k)
    assert re.search(r"report-scheduler \| idle in transaction \| +2\d", sessions)
    refused = {r["service"] for r in samples(tmp_path) if r["metric"] == "errors_total" and float(r["value"])}
    assert "checkout-api" in refused
    assert "report-scheduler" not in refused


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder for temporary files that the system user `postgres` can reach; pytest's own it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@with_postgres
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_recorder_that_is_stopped_leaves_neither_server_nor_files(open_folder: Path, name: str) -> None:
    environment = {**os.environ, "TMPDIR": str(open_folder)}
    command = [sys.executable, str(RECORD), "-o", str(open_folder / "out"), "--quick"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as recorder:
        server = _pid_of_server(open_folder)
        recorder.send_signal(signal.Signals[name])
        _, said = recorder.communicate(timeout=30)
    assert recorder.returncode == 1
    assert said.splitlines() == ["stopped before the recording was complete"]
    assert not list(open_folder.iterdir())
    assert not Path(f"/proc/{server}").exists()


def _pid_of_server(folder: Path) -> int:
    give_up_at = time.monotonic() + 20
    while time.monotonic() < give_up_at:
        for file in folder.glob("*/data/postmaster.pid"):
            lines = file.read_text().splitlines()
            if lines and lines[-1].strip() == "ready":
                return int(lines[0])
        time.sleep(0.05)
    raise TimeoutError("the server did not start")


def test_a_recorder_without_a_server_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, RECORD, "--postgres", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["no PostgreSQL server found; install Debian's package `postgresql`"]
