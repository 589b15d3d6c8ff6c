"""Record an incident from a real file system: the exports of one service fill the disk that an order journal needs.

    python examples/incidents/disk-full/record.py [-o DIR] [--quick]

Mounts a small tmpfs below its temporary folder and takes it away at the end, which needs root on Linux. The services are
processes (service.py). A cache with many small files and a warning every few seconds is innocent: it keeps its bounds.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import program, running, shell, undisturbed
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent
SERVICES = ("order-journal", "thumbnail-cache", "audit-exporter")


@contextmanager
def disk(at: Path, megabytes: int, inodes: int) -> Iterator[None]:
    """A small tmpfs while the block runs."""
    if os.getuid() != 0:
        sys.exit("mounting a small disk needs root")
    at.mkdir()
    size = f"size={megabytes}m,nr_inodes={inodes},mode=755"
    mount = [program("mount", "mount"), "-t", "tmpfs", "-o", size, "tmpfs", str(at)]
    with ExitStack() as later:
        with undisturbed():
            if subprocess.run(mount, check=False).returncode:
                sys.exit("this root may not mount a small disk")
            later.callback(partial(subprocess.run, [program("umount", "mount"), str(at)], check=True))
        yield


class Story:
    """What happens: everybody is well, one service forgets nothing any more, the disk is full."""

    def __init__(self, stage: Stage, data: Path) -> None:
        self.stage, self.data = stage, data

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs."""
        return (
            f"df -h {self.data}",
            f"df -i {self.data}",
            f"du -sk {self.data}/* | sort -rn",
            f"du -a --inodes {self.data} --max-depth=1 | sort -rn",
            f"ls -1 {self.data}/audit-exporter | wc -l",
            f"ls -1 {self.data}/thumbnail-cache | wc -l",
            f"find {self.data} -type f -size +400k -printf '%TT %s %p\\n' | sort | tail -5",
            "pgrep -af 'service.py (order-journal|thumbnail-cache|audit-exporter)'",
        )

    def _watched(self) -> dict[str, dict[str, float]]:
        used, folders = shutil.disk_usage(self.data), {}
        for service in SERVICES:
            files = list((self.data / service).glob("*"))
            worked, failed = self._counts(service)
            folders[service] = {
                "disk_used_bytes": float(sum(map(_size, files))),
                "files": float(len(files)),
                "steps_total": worked + failed,
            }
            self.stage.counted[service] = {"errors_total": failed}
        volume = {"volume_size_bytes": float(used.total), "volume_used_bytes": float(used.used)}
        inodes = os.statvfs(self.data)
        return {"volume": volume | {"inodes_used": float(inodes.f_files - inodes.f_ffree)}} | folders

    def _counts(self, service: str) -> tuple[float, float]:
        """How many steps worked and failed, as the service last wrote it on another disk."""
        path = self.stage.folder / f"{service}.count"
        words = path.read_text(encoding="ascii").split() if path.exists() else []
        return (float(words[0]), float(words[1])) if len(words) == 2 else (0.0, 0.0)

    def play(self) -> None:
        """The whole story, in real time."""
        with ExitStack() as processes:
            for service in SERVICES:
                command: list[str | Path] = [sys.executable, "service.py", service, self.data / service]
                log = self.stage.logs / f"{service}.log"
                processes.enter_context(
                    running(command, log, self.stage.folder, env={"PACE": f"{self.stage.lasts(1, 0.15)}"})
                )
            with self.stage.playing(partial(self.stage.sample, self._watched)):
                self.stage.wait(25, 1.6)
                (self.data / "audit-exporter" / "keep-all").touch()
                self.stage.alerted.wait(timeout=90)
                self.stage.wait(12, 0.2)
                self.stage.record(self.commands(), shell)
                self.stage.wait(8, 1.1)


def _size(file: Path) -> int:
    """Bytes on the disk; 0 when its owner was faster."""
    try:
        return file.stat().st_blocks * 512
    except FileNotFoundError:
        return 0


TOLD = Told(
    name="disk-full",
    title="Orders are lost: order-journal cannot write",
    context="Three services share the volume. Nothing was deployed.",
    services=(*SERVICES, "volume"),
    alert=Alert("JournalErrors", "order-journal", "order-journal fails to write orders", after_errors=3),
    calls=tuple((service, "volume") for service in SERVICES),
    answer={
        "task": "component",
        "component": ["audit-exporter", "audit_exporter", "audit exporter"],
        "label": "disk-full",
        "category": "resource_exhaustion",
        "keywords": [["audit-exporter"], ["disk", "volume", "file system"], ["full", "no space", "fills", "100%"]],
        "forbidden": ["evicting"],
        "notes": "a real tmpfs, filled by a process of record.py",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story on a disk of its own."""
    data = stage.folder / "data"
    shutil.copy(HERE / "service.py", stage.folder)
    with disk(data, megabytes=8 if stage.quick else 20, inodes=4000):
        Story(stage, data).play()


if __name__ == "__main__":
    main(TOLD, play, HERE)
