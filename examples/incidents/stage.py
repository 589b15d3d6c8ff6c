"""Where an incident is played: threads that act until it is over, a sampler, an alert, and the bundle on disk."""

import argparse
import itertools
import shutil
import signal
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from recording import Metrics, ServiceLog, alertmanager, calls, expected, iso, utc_now, write_json

HOME = "/srv"  # what a recording calls its temporary folder


@dataclass(frozen=True, slots=True)
class Alert:
    """What fires, for whom, and after how many errors of that service's callers."""

    name: str
    service: str
    summary: str
    after_errors: int = 1


@dataclass(frozen=True, slots=True)
class Told:
    """What the on-call person is told, which is the symptom; and the answer, which stays outside of the bundle."""

    name: str
    title: str
    context: str
    services: tuple[str, ...]
    alert: Alert
    calls: tuple[tuple[str, str], ...]
    answer: Mapping[str, Any]
    metrics: str = "samples"  # stem of the file of samples


@dataclass(slots=True)
class Stage:
    """One recording in progress, below a temporary folder. Logs are written into `logs` as they will be kept."""

    told: Told
    folder: Path
    quick: bool = False
    metrics: Metrics = field(default_factory=Metrics)
    counted: dict[str, dict[str, float]] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    changes: dict[str, Any] = field(default_factory=dict)
    kept: dict[Path, str] = field(default_factory=dict)  # the logs, once the play is over
    answer: dict[str, Any] = field(default_factory=dict)  # what is known only after the play
    over: threading.Event = field(default_factory=threading.Event)
    alerted: threading.Event = field(default_factory=threading.Event)
    alerted_at: datetime | None = None
    _counting: threading.Lock = field(default_factory=threading.Lock)

    @property
    def logs(self) -> Path:
        """The bundle's logs to be."""
        return self.folder / "logs"

    def log(self, service: str, dialect: str, logger: str = "db") -> ServiceLog:
        """A log in the dialect of a service that the recorder plays itself."""
        return ServiceLog(self.logs / f"{service}.log", service, dialect, logger)

    def lasts(self, full_s: float, quick_s: float) -> float:
        """Seconds of one part of the story."""
        return quick_s if self.quick else full_s

    def wait(self, full_s: float, quick_s: float) -> None:
        """Let the players go on for a while."""
        self.over.wait(self.lasts(full_s, quick_s))

    def every(self, seconds: float) -> Iterator[int]:
        """1, 2, 3 … until the play is over."""
        for number in itertools.count(1):
            if self.over.wait(seconds):
                return
            yield number

    def count(self, service: str, **more: float) -> None:
        """Add to the counters of a service; each appears in every later sample."""
        with self._counting:
            counters = self.counted.setdefault(service, {})
            for name, value in more.items():
                counters[name] = counters.get(name, 0) + value

    def request(self, service: str, worked: bool, took_ms: float) -> None:
        """One request of or to a service, with how long it took."""
        self.count(service, requests_total=1, errors_total=not worked, duration_ms_total=round(took_ms, 1))

    @contextmanager
    def playing(self, *parts: Callable[[], None]) -> Iterator[None]:
        """Each part in a thread of its own while the block runs. A part that fails makes the recording fail."""
        with ThreadPoolExecutor(len(parts)) as pool:
            futures = [pool.submit(part) for part in parts]
            try:
                yield
                self.keep_logs()
            finally:
                self.over.set()
        for future in futures:
            future.result()

    def sample(self, watched: Callable[[], Mapping[str, Mapping[str, float]]]) -> None:
        """Each second what `watched` sees and what was counted; the alert fires when its errors are enough."""
        for _ in self.every(1.0):
            if self.kept:
                return
            for service, values in watched().items():
                self.metrics.add(service, values)
            with self._counting:
                counted = {s: {name: round(n, 1) for name, n in v.items()} for s, v in self.counted.items()}
            for service, values in counted.items():
                self.metrics.add(service, values)
            errors = counted.get(self.told.alert.service, {}).get("errors_total", 0)
            if errors >= self.told.alert.after_errors and not self.alerted.is_set():
                self.alerted_at = utc_now()
                self.alerted.set()

    def record(self, commands: Sequence[str], run: Callable[[str], str]) -> None:
        """Keep what each command line prints now."""
        self.outputs |= {self.as_told(command): self.as_told(run(command)) for command in commands}

    def keep_logs(self) -> None:
        """Keep the logs as they are, if that has not been done: what servers write when they are stopped is not ours."""
        files = sorted(p for p in self.logs.rglob("*") if p.is_file())
        self.kept = self.kept or {
            log.relative_to(self.logs): self.as_told(log.read_text(encoding="utf-8", errors="replace")) for log in files
        }

    def as_told(self, text: str) -> str:
        """The temporary folder and where this machine keeps its Python are nobody's business."""
        library = sysconfig.get_path("stdlib")
        told = text.replace(str(self.folder), HOME).replace(library, "/usr/local/lib/python3")
        return told.replace(sys.executable, "python3")

    def write(self, output: Path) -> None:
        """The bundle, and the answer beside it. Exits with a message when nothing had gone wrong."""
        if self.alerted_at is None:
            sys.exit("the fault did not show: no alert fired, nothing was written")
        bundle, alert = output / "bundle", self.told.alert
        shutil.rmtree(bundle, ignore_errors=True)
        for log, text in self.kept.items():
            path = bundle / "logs" / log
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.metrics.write(bundle / "metrics" / f"{self.told.metrics}.csv")
        write_json(bundle / "commands.json", self.outputs)
        write_json(bundle / "topology.json", calls(*self.told.calls))
        for name, value in self.changes.items():
            write_json(bundle / "changes" / f"{name}.json", value)
        write_json(bundle / "alert.json", alertmanager(alert.name, alert.service, alert.summary, self.alerted_at))
        write_json(bundle / "incident.json", self._incident(self.alerted_at))
        write_json(output / "expected.json", self._expected())

    def _incident(self, started_at: datetime) -> dict[str, Any]:
        told = self.told
        return {
            "title": told.title,
            "started_at": iso(started_at),
            "services": list(told.services),
            "namespace": None,
            "context": told.context,
        }

    def _expected(self) -> dict[str, Any]:
        known = {"id": self.told.name, "candidates": len(self.told.services)}
        return expected(**known | dict(self.told.answer) | self.answer)


def main(
    told: Told,
    play: Callable[[Stage, argparse.Namespace], None],
    output: Path,
    options: argparse.ArgumentParser | None = None,
) -> None:
    """The command line of a recorder: play the story in a folder of its own and write it down."""
    parents = [options] if options else []
    parser = argparse.ArgumentParser(description=f"Record the incident {told.name} anew.", parents=parents)
    parser.add_argument("-o", "--output", type=Path, default=output, help="where to write (default: beside the script)")
    parser.add_argument("--quick", action="store_true", help="a shorter story, for tests")
    args = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # both end in order, also where a shell's background ignores Ctrl-C
        signal.signal(number, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory(prefix="incident-") as folder:
            stage = Stage(told, Path(folder), args.quick)
            play(stage, args)
            stage.write(args.output)
    except KeyboardInterrupt:
        sys.exit("stopped before the recording was complete")
    sys.stderr.write(f"recorded {args.output / 'bundle'}\n")
