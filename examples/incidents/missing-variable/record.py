"""Record an incident from real processes: a service is started anew without a variable, and ends at once each time.

    python examples/incidents/missing-variable/record.py [-o DIR] [--quick]

Two small applications (app.py) on loopback, kept running by a loop that starts what has ended. A restart for a new
release forgets one variable of one of them. The other one answers 404 to one in ten all day long.
"""

import argparse
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import end, fetch, free_port, program, running, shell, start
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent
VARIABLES = {"VAT_RATE": "0.19", "RELEASE": "41"}


class Story:
    """What happens: everybody is well, one application is started anew with less than it needs."""

    def __init__(self, stage: Stage, ports: dict[str, int]) -> None:
        self.stage, self.ports = stage, ports
        self.log = {name: stage.log(name, d, "http") for name, d in (("web-shop", "json"), ("supervisor", "logfmt"))}
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        stage.count("web-shop", requests_total=0, errors_total=0, duration_ms_total=0)
        stage.count("supervisor", restarts_total=0)

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs, with the ports of this recording."""
        invoices, archive = self.ports["invoices"], self.ports["archive"]
        return (
            f"ss -ltn '( sport = :{invoices} or sport = :{archive} )'",
            f"curl -sSI http://127.0.0.1:{invoices}/invoices/1",
            f"curl -sSI http://127.0.0.1:{archive}/archive/1",
            f"pgrep -af 'app.py (invoices {invoices}|archive {archive})'",
        )

    def play(self) -> None:
        """The whole story, in real time."""
        folder = self.stage.folder
        shutil.copy(HERE / "app.py", folder)
        command = [sys.executable, "app.py", "archive", str(self.ports["archive"])]
        log = self.stage.logs / "archive.log"
        with running(command, log, folder, self.ports["archive"], env=VARIABLES):
            self._start(VARIABLES)
            watched = partial(self.stage.sample, self._watched)
            shoppers = [partial(self._shop, "archive", 0.25), partial(self._shop, "invoices", 0.4)]
            try:
                with self.stage.playing(*shoppers, self._supervise, watched):
                    self.stage.wait(26, 2.5)
                    self.log["supervisor"].write("INFO", "release 42: stopping invoices")
                    self._stop()
                    self.stage.alerted.wait(timeout=20)
                    self.stage.wait(12, 0.5)
                    self.stage.record(self.commands(), shell)
                    self.stage.wait(8, 1.2)
            finally:
                self._stop()

    def _start(self, variables: dict[str, str]) -> None:
        command = [sys.executable, "app.py", "invoices", str(self.ports["invoices"])]
        self.process = start(command, self.stage.logs / "invoices.log", self.stage.folder, variables)
        self.starts += 1

    def _stop(self) -> None:
        if self.process is not None:
            end(self.process)

    def _supervise(self) -> None:
        """Starts what has ended, with the new release's variables: that they are one too few it cannot know."""
        for _ in self.stage.every(self.stage.lasts(1.5, 0.4)):
            if self.process is not None and (status := self.process.poll()) is not None:
                self.log["supervisor"].write("WARN", f"invoices ended with status {status}, starting it again")
                self.stage.count("supervisor", restarts_total=1)
                self._start({"RELEASE": "42"})

    def _shop(self, service: str, seconds: float) -> None:
        for number in self.stage.every(seconds):
            status, said, took_ms = fetch(self.ports[service], f"/{service}/{number}")
            self.stage.request("web-shop", status != 0, took_ms)
            level, answered = ("ERROR", said) if status == 0 else ("INFO", f"answered {status}")
            self.log["web-shop"].write(level, f"GET /{service}/{number} {answered}")

    def _watched(self) -> dict[str, dict[str, float]]:
        up = {name: fetch(port, f"/{name}/0", 1.0)[0] == 200 for name, port in self.ports.items()}
        return {name: {"up": float(is_up)} for name, is_up in up.items()}


TOLD = Told(
    name="missing-variable",
    title="The shop fails to show some documents",
    context="A new release was rolled out today. Old documents can be read.",
    services=("web-shop", "invoices", "archive", "supervisor"),
    alert=Alert("ShopErrors", "web-shop", "more than 5 % of the requests of web-shop fail", after_errors=3),
    calls=(("web-shop", "invoices"), ("web-shop", "archive")),
    answer={
        "task": "component",
        "component": ["invoices"],
        "label": "missing-config",
        "category": "configuration",
        "keywords": [["invoices"], ["VAT_RATE", "variable", "KeyError"]],
        "forbidden": ["document 9 not found"],
        "notes": "a real process, started by record.py without a variable that it reads",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story on ports of its own."""
    for name, package in (("curl", "curl"), ("ss", "iproute2"), ("pgrep", "procps")):
        program(name, package)
    Story(stage, {"invoices": free_port(9001), "archive": free_port(9002)}).play()


if __name__ == "__main__":
    main(TOLD, play, HERE)
