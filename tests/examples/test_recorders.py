"""Each recorder, run anew in short: the same files, the same questions, the same answer, and the fault in the outputs."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2] / "examples" / "incidents"
CAP_SYS_ADMIN = 1 << 21
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


@dataclass(frozen=True)
class Recorder:
    """What a recorder needs, what its recorded outputs must show, and who must be well (no error counted)."""

    name: str
    needs: tuple[str, ...]
    shows: tuple[str, ...]
    well: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        return [name for name in self.needs if not self._there(name)]

    @staticmethod
    def _there(name: str) -> bool:
        if name == "the right to mount":
            status = Path("/proc/self/status").read_text()
            return bool(int(re.search(r"CapEff:\s*(\w+)", status)[1], 16) & CAP_SYS_ADMIN)  # type: ignore[index]
        if name == "a memory cgroup to write":
            v1, v2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
            return os.access(v1 if v1.is_dir() else v2, os.W_OK)
        if name == "postgresql":
            return bool(list(Path("/usr/lib/postgresql").glob("*/bin/initdb")))
        return shutil.which(name, path=PATH) is not None


RECORDERS = (
    Recorder(
        "postgres-lock-queue",
        ("postgresql",),
        (r"schema-migrator +\| idle in transaction", r"schema-migrator +\| orders +\| AccessExclusiveLock +\| t"),
        well=("inventory-worker",),
    ),
    Recorder(
        "redis-maxmemory",
        ("redis-server", "redis-cli"),
        (r"errorstat_OOM:count=\d", r"maxmemory_policy:noeviction", r"errorstat_WRONGTYPE"),
    ),
    Recorder(
        "nginx-dead-upstream",
        ("nginx", "curl", "ss", "pgrep"),
        (r"HTTP/1.1 502 Bad Gateway", r"HTTP/1.1 200 OK", r"curl: \(7\) Failed to connect"),
    ),
    Recorder(
        "tls-certificate-expired",
        ("openssl", "ss"),
        (r"verify error:num=10:certificate has expired", r"Verification: OK", r"notAfter="),
        well=("fraud-check",),
    ),
    Recorder(
        "disk-full",
        ("the right to mount", "mount"),
        (r"tmpfs .* 100% /srv/data", r"\d+\t/srv/data/audit-exporter\n\d+\t/srv/data/th"),
    ),
    Recorder(
        "oom-kill",
        ("a memory cgroup to write", "pgrep"),
        (r"oom_kill [1-9]", r"oom_kill 0"),
    ),
    Recorder(
        "bad-deploy",
        ("git", "curl", "ss", "tar"),
        (r'"internal"}500', r'"currency": "EUR"}200', r"Coupons: one table"),
    ),
    Recorder(
        "redis-password-rotated",
        ("redis-server", "redis-cli"),
        (r"errorstat_WRONGPASS:count=\d", r"errorstat_WRONGTYPE:count=\d"),
    ),
    Recorder(
        "redis-queue-backlog",
        ("redis-server", "redis-cli"),
        (r"name=receipt-worker", r"order-\d"),
    ),
    Recorder(
        "missing-variable",
        ("curl", "ss", "pgrep"),
        (r"curl: \(7\) Failed to connect", r"app\.py archive"),
    ),
    Recorder(
        "open-files",
        ("curl", "ss", "pgrep"),
        (r"Too many open files", r"-> /srv/template\.txt", r"Max open files"),
    ),
)


def texts(bundle: Path) -> set[str]:
    return {str(p.relative_to(bundle)) for p in bundle.rglob("*")}


def questions(bundle: Path) -> list[str]:
    """The command lines, but for ports, times and cgroups."""
    return [re.sub(r"/sys/fs/cgroup/\S+|\d+", "N", line) for line in json.loads((bundle / "commands.json").read_text())]


def answer(folder: Path) -> dict[str, Any]:
    """The expected answer, but for commits: their dates, and so their names, are those of the recording."""
    read: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    return {k: v for k, v in read.items() if k not in {"commit", "decoys"}}


def erring(bundle: Path) -> set[str]:
    rows = [row for path in (bundle / "metrics").iterdir() for row in csv.DictReader(path.read_text().splitlines())]
    return {row["service"] for row in rows if row["metric"] == "errors_total" and float(row["value"])}


@pytest.mark.parametrize("recorder", RECORDERS, ids=lambda r: r.name)
def test_an_incident_can_be_recorded_again(recorder: Recorder, tmp_path: Path) -> None:
    if missing := recorder.missing():
        pytest.skip(f"not here: {', '.join(missing)}")
    kept = ROOT / recorder.name
    command: list[str | Path] = [sys.executable, kept / "record.py", "-o", tmp_path, "--quick"]
    done = subprocess.run(command, timeout=90, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert texts(tmp_path / "bundle") == texts(kept / "bundle")
    assert questions(tmp_path / "bundle") == questions(kept / "bundle")
    assert answer(tmp_path) == answer(kept)
    for outputs in (json.loads((folder / "bundle" / "commands.json").read_text()) for folder in (kept, tmp_path)):
        assert [shown for shown in recorder.shows if not re.search(shown, "\n".join(outputs.values()))] == []
    alert = json.loads((tmp_path / "bundle" / "alert.json").read_text())["alerts"][0]
    assert alert["labels"]["service"] in erring(tmp_path / "bundle")
    assert not erring(tmp_path / "bundle") & set(recorder.well)


def test_every_recorder_is_tested() -> None:
    elsewhere = {"postgres-connections"}  # tests/examples/test_incidents.py
    assert {p.parent.name for p in ROOT.glob("*/record.py")} == {r.name for r in RECORDERS} | elsewhere


@pytest.mark.parametrize(
    "recorder", [r for r in RECORDERS if r.name in {"disk-full", "oom-kill"}], ids=lambda r: r.name
)
def test_a_recorder_that_is_stopped_leaves_no_process_mount_or_cgroup(recorder: Recorder, tmp_path: Path) -> None:
    if missing := recorder.missing():
        pytest.skip(f"not here: {', '.join(missing)}")
    played = tmp_path / "played"
    played.mkdir()
    environment = {**os.environ, "TMPDIR": str(played)}
    command = [sys.executable, str(ROOT / recorder.name / "record.py"), "-o", str(tmp_path / "out"), "--quick"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as recording:
        _wait_for(played)
        begun = below(played)
        recording.send_signal(signal.SIGTERM)
        _, said = recording.communicate(timeout=30)
    assert begun
    assert said.splitlines() == ["stopped before the recording was complete"]
    assert not list(played.iterdir())
    assert str(played) not in Path("/proc/mounts").read_text()
    assert not [pid for pid in begun if Path(f"/proc/{pid}").exists()]


def _wait_for(played: Path) -> None:
    """Return when a service of the recording has logged something."""
    give_up_at = time.monotonic() + 20
    while not [log for log in played.glob("*/logs/*.log") if log.stat().st_size]:
        assert time.monotonic() < give_up_at, "nothing was logged"
        time.sleep(0.05)


def below(folder: Path) -> set[str]:
    """The processes that work below a folder."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if link.readlink().is_relative_to(folder):
                found.add(link.parent.name)
    return found
