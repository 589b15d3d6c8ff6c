"""Record an incident from the kernel: a service that keeps every picture is killed when its memory cgroup is full.

    python examples/incidents/oom-kill/record.py [-o DIR] [--quick]

A supervisor starts two services (worker.py), each in a memory cgroup of its own, version 1 or 2, which needs root on
Linux. The other service uses more memory, complains about it, and is innocent: its limit is higher and it stays level.
"""

import argparse
import shutil
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from memory_cgroup import Group, groups
from processes import fetch, free_port, running, shell, wait_for
from recording import utc_now
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent
WORKERS = {"thumbnailer": 48 * 2**20, "search-indexer": 120 * 2**20}


class Story:
    """What happens: everybody is well, one service grows, the kernel kills it, again and again."""

    def __init__(self, stage: Stage, cgroups: dict[str, Group], ports: dict[str, int]) -> None:
        self.stage, self.cgroups, self.ports, self.began = stage, cgroups, ports, utc_now()
        self.log = stage.log("gallery-api", "json")
        stage.count("gallery-api", requests_total=0, errors_total=0, duration_ms_total=0)

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs. The kernel's log is cut where the recording began."""
        reading = [command for group in self.cgroups.values() for command in group.commands()]
        since = f"{self.began:%Y-%m-%d %H:%M:%S}"
        kernel = f"dmesg --time-format=iso --since '{since}' | grep -iE 'oom-kill|killed process'"
        return (*reading, kernel, "pgrep -af 'worker.py (thumbnailer|search-indexer)'")

    def _watched(self) -> dict[str, dict[str, float]]:
        return {name: group.sample() for name, group in self.cgroups.items()}

    def _browse(self, worker: str, seconds: float) -> None:
        """The caller of both: it sees refused and broken connections."""
        for number in self.stage.every(seconds):
            status, said, took_ms = fetch(self.ports[worker], f"/item-{number}")
            self.stage.request("gallery-api", status == 200, took_ms)
            if status == 200:
                self.log.write("INFO", f"item-{number}: {worker} answered")
            else:
                self.log.write("ERROR", f"item-{number}: {worker} did not answer", said)

    def play(self) -> None:
        """The whole story, in real time."""
        shutil.copy(HERE / "worker.py", self.stage.folder)
        services = [word for name, group in self.cgroups.items() for word in (name, group.path, str(self.ports[name]))]
        command: list[str | Path] = [sys.executable, HERE / "supervisor.py", self.stage.logs, *services]
        pictures = partial(self._browse, "thumbnailer", self.stage.lasts(0.8, 0.08))
        searches = partial(self._browse, "search-indexer", self.stage.lasts(0.7, 0.3))
        with running(command, self.stage.logs / "supervisor.log", self.stage.folder):
            for port in self.ports.values():
                wait_for(port)
            with self.stage.playing(pictures, searches, partial(self.stage.sample, self._watched)):
                self.stage.alerted.wait(timeout=90)
                self.stage.wait(40, 0.5)
                self.stage.record(self.commands(), shell)
                self.stage.wait(8, 1.1)


TOLD = Told(
    name="oom-kill",
    title="Pictures are missing: gallery-api fails now and then",
    context="Every process is up when one looks. The machine has free memory.",
    services=("gallery-api", *WORKERS, "supervisor"),
    alert=Alert("GalleryErrors", "gallery-api", "gallery-api fails more than 2 % of its requests"),
    calls=tuple(("gallery-api", worker) for worker in WORKERS),
    answer={
        "task": "component",
        "component": ["thumbnailer"],
        "label": "out-of-memory-killed",
        "category": "resource_exhaustion",
        "keywords": [["thumbnailer"], ["memory", "OOM"], ["killed", "137"]],
        "forbidden": ["search-indexer", "above the recommended"],
        "notes": "a real kill in a memory cgroup of record.py",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story in cgroups of its own."""
    ports = {"thumbnailer": free_port(9101), "search-indexer": free_port(9102)}
    with groups(WORKERS) as cgroups:
        Story(stage, cgroups, ports).play()


if __name__ == "__main__":
    main(TOLD, play, HERE)
