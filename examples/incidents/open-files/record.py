"""Record an incident from real processes: a service forgets to close files until it may open no more.

    python examples/incidents/open-files/record.py [-o DIR] [--quick]

Two small applications (app.py) on loopback under a limit of open files. One kind of request to one of them leaves its
file open. The other is slower and louder, and well.
"""

import argparse
import shutil
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import fetch, free_port, program, running, shell
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent


class Story:
    """What happens: everybody is well, a new kind of page is asked for, no file can be opened any more."""

    def __init__(self, stage: Stage, ports: dict[str, int]) -> None:
        self.stage, self.ports = stage, ports
        self.log = {"web-shop": stage.log("web-shop", "json", "http")}
        self.pids: dict[str, int] = {}
        self.leaks = False
        stage.count("web-shop", requests_total=0, errors_total=0, duration_ms_total=0)

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs, with the ports and processes of this recording."""
        renderer, search = self.pids["renderer"], self.pids["search"]
        to_renderer, to_search = self.ports["renderer"], self.ports["search"]
        return (
            f"pgrep -af 'app.py (renderer {to_renderer}|search {to_search})'",
            f"ls -go /proc/{renderer}/fd",
            f"ls -go /proc/{search}/fd",
            f"cat /proc/{renderer}/limits",
            f"curl -sS http://127.0.0.1:{to_renderer}/renderer/1",
            f"curl -sS http://127.0.0.1:{to_search}/search/1",
            f"ss -ltn '( sport = :{to_renderer} or sport = :{to_search} )'",
        )

    def play(self) -> None:
        """The whole story, in real time."""
        folder = self.stage.folder
        shutil.copy(HERE / "app.py", folder)
        (folder / "template.txt").write_text("welcome\n", encoding="utf-8")
        limit = "24" if self.stage.quick else "64"
        applications = {
            name: running(
                [sys.executable, "app.py", name, str(port), limit], self.stage.logs / f"{name}.log", folder, port
            )
            for name, port in self.ports.items()
        }
        with applications["renderer"] as renderer, applications["search"] as search:
            self.pids = {"renderer": renderer.pid, "search": search.pid}
            watched = partial(self.stage.sample, self._watched)
            with self.stage.playing(partial(self._shop, "renderer", 0.3), partial(self._shop, "search", 0.4), watched):
                self.stage.wait(26, 2.2)
                self.leaks = True
                self.stage.alerted.wait(timeout=40)
                self.stage.wait(12, 0.4)
                self.stage.record(self.commands(), shell)
                self.stage.wait(8, 1.2)

    def _shop(self, service: str, seconds: float) -> None:
        for number in self.stage.every(seconds):
            held = "/held" if self.leaks and service == "renderer" else ""
            status, said, took_ms = fetch(self.ports[service], f"/{service}/{number}{held}")
            worked = status == 200
            self.stage.request("web-shop", worked, took_ms)
            self.log["web-shop"].write(
                "INFO" if worked else "ERROR", f"GET /{service}/{number} answered {status}", "" if worked else said
            )

    def _watched(self) -> dict[str, dict[str, float]]:
        return {name: {"open_files": float(_open_files(pid))} for name, pid in self.pids.items()}


def _open_files(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return 0


TOLD = Told(
    name="open-files",
    title="Customers see empty pages",
    context="Search works. Nothing was released today; a campaign with pages of a new kind began this morning.",
    services=("web-shop", "renderer", "search"),
    alert=Alert("ShopErrors", "web-shop", "more than 5 % of the requests of web-shop fail", after_errors=3),
    calls=(("web-shop", "renderer"), ("web-shop", "search")),
    answer={
        "task": "component",
        "component": ["renderer"],
        "label": "open-files-exhausted",
        "category": "resource_exhaustion",
        "keywords": [["open files", "file handle", "EMFILE", "Too many open files"]],
        "forbidden": ["disk is full", "no space"],
        "notes": "a real process under a limit of open files; one kind of request leaves its file open",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story on ports of its own."""
    for name, package in (("curl", "curl"), ("ss", "iproute2"), ("pgrep", "procps")):
        program(name, package)
    Story(stage, {"renderer": free_port(9001), "search": free_port(9002)}).play()


if __name__ == "__main__":
    main(TOLD, play, HERE)
