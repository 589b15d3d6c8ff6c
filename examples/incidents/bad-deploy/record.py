"""Record an incident from a real deploy: a release brings three commits, and one of them breaks quotes without a coupon.

    python examples/incidents/bad-deploy/record.py [-o DIR] [--quick]

Makes a git repository (Debian's `git` package) with the history of two services, runs both from it, and deploys both while
customers are at work: first `catalog`, which is innocent and loses three items, then `pricing`.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from history import CHANGES, edited
from processes import ENVIRONMENT, end, fetch, free_port, program, shell, start, undisturbed, wait_for
from recording import iso, utc_now
from repository import Repository
from stage import Alert, Stage, Told, main

HERE = Path(__file__).resolve().parent
SERVICES = ("pricing", "catalog")
COUPONS = ("SPRING", "NONE", "STAFF", "spring", "NONE")  # two customers of five have no coupon


class Deployer:
    """Runs the services from what was exported of a repository, and remembers each deploy."""

    def __init__(self, stage: Stage, repository: Repository, ports: dict[str, int]) -> None:
        self.stage, self.repository, self.ports = stage, repository, ports
        self.running: dict[str, Any] = {}
        self.deploys: list[dict[str, str]] = []
        self.log = stage.log("deployer", "logfmt", "deploy")

    def deploy(self, service: str, sha: str) -> None:
        """Stop the old release, start the new one."""
        number = 1 + sum(deploy["service"] == service for deploy in self.deploys)
        version = f"{service}-{number}"
        folder = self.stage.folder / "releases" / version
        self.repository.export(sha, service, folder)
        if service in self.running:
            end(self.running[service])
        command = [sys.executable, "-m", f"{service}.server", str(self.ports[service]), version]
        with undisturbed():
            self.running[service] = start(command, self.stage.logs / f"{service}.log", folder)
        wait_for(self.ports[service])
        self.deploys.append({"time": iso(utc_now()), "service": service, "commit": sha, "version": version})
        self.log.write("INFO", f"deployed {version} at {sha[:10]}")

    def stop(self) -> None:
        """End both services."""
        for process in self.running.values():
            end(process)


class Story:
    """What happens: everybody is well, one innocent deploy, one that breaks what two customers of five do."""

    def __init__(self, stage: Stage, deployer: Deployer) -> None:
        self.stage, self.deployer, self.ports = stage, deployer, deployer.ports
        self.log = stage.log("web-shop", "json", "http")
        for service in (*SERVICES, "web-shop"):
            stage.count(service, requests_total=0, errors_total=0, duration_ms_total=0)

    def commands(self) -> tuple[str, ...]:
        """What an on-call person runs."""
        pricing, catalog = (self.ports[name] for name in SERVICES)
        return (
            f"curl -s -w '%{{http_code}}' http://127.0.0.1:{pricing}/quote/sku-7/2/SPRING",
            f"curl -s -w '%{{http_code}}' http://127.0.0.1:{pricing}/quote/sku-7/2/NONE",
            f"curl -s -w '%{{http_code}}' http://127.0.0.1:{catalog}/item/sku-7",
            f"ss -ltn '( sport = :{pricing} or sport = :{catalog} )'",
            f"git -C {self.deployer.repository.folder} log --format='%h %ad %an %s' --date=iso-strict",
        )

    def _shop(self, service: str, seconds: float) -> None:
        """Customers of one service."""
        for number in self.stage.every(seconds):
            sku = f"sku-{number * 7 % 50}"
            path = f"/quote/{sku}/{number % 3 + 1}/{COUPONS[number % 5]}" if service == "pricing" else f"/item/{sku}"
            status, _, took_ms = fetch(self.ports[service], path)
            worked = 0 < status < 500
            for counting in (service, "web-shop"):
                self.stage.request(counting, worked, took_ms)
            self.log.write("INFO" if worked else "ERROR", f"{service} answered {status} to {path}")

    def _watched(self) -> dict[str, dict[str, float]]:
        """The release of each service, as a number."""
        running = {deploy["service"]: deploy["version"].rsplit("-", 1)[-1] for deploy in self.deployer.deploys}
        return {service: {"release": float(number)} for service, number in running.items()}

    def play(self, shas: dict[str, str]) -> None:
        """The whole story, in real time."""
        buyers, visitors = partial(self._shop, "pricing", 0.4), partial(self._shop, "catalog", 0.3)
        with self.stage.playing(buyers, visitors, partial(self.stage.sample, self._watched)):
            self.stage.wait(22, 1.2)
            self.deployer.deploy("catalog", shas["other"])
            self.stage.wait(14, 0.6)
            self.deployer.deploy("pricing", shas["new"])
            self.stage.alerted.wait(timeout=30)
            self.stage.wait(14, 0.3)
            self.stage.record(self.commands(), shell)
            self.stage.wait(8, 1.1)


TOLD = Told(
    name="bad-deploy",
    title="Some customers see no price since a few moments ago",
    context="Two services were deployed today. Some quotes work, some do not.",
    services=(*SERVICES, "web-shop", "deployer"),
    alert=Alert("QuoteErrors", "web-shop", "web-shop shows errors to more than 5 % of its customers", after_errors=2),
    calls=(("web-shop", "pricing"), ("web-shop", "catalog")),
    answer={
        "task": "commit",
        "component": ["pricing"],
        "label": "bad-deploy",
        "category": "deployment",
        "keywords": [["pricing"], ["coupon"], ["None", "NoneType", "default"]],
        "forbidden": ["catalog", "no item"],
        "notes": "a real deploy from a git repository that record.py makes",
    },
)


def history(stage: Stage) -> tuple[Repository, dict[str, str]]:
    """The repository, and the commits by their role."""
    environment = {**ENVIRONMENT, "HOME": str(stage.folder)}
    repository = Repository(program("git", "git"), stage.folder / "repository", environment)
    repository.create()
    files: dict[str, str] = {}
    shas: dict[str, str] = {}
    for change in CHANGES:
        touched = {name: edited(files.get(name, ""), edits) for name, edits in change.edits.items()}
        files |= touched
        at = (utc_now() - timedelta(minutes=change.minutes)).replace(microsecond=0)
        shas[change.role or change.message] = repository.commit(at, change.author, change.message, touched)
    return repository, shas


@contextmanager
def deployed(stage: Stage, repository: Repository, shas: dict[str, str]) -> Iterator[Deployer]:
    """Both services, as they were before today, while the block runs."""
    deployer = Deployer(stage, repository, {"pricing": free_port(9201), "catalog": free_port(9202)})
    with ExitStack() as later:
        later.callback(deployer.stop)
        for service in SERVICES:
            deployer.deploy(service, shas["old"])
        yield deployer


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story with a repository of its own."""
    program("curl", "curl")
    repository, shas = history(stage)
    with deployed(stage, repository, shas) as deployer:
        Story(stage, deployer).play(shas)
    stage.changes = {"commits": repository.commits, "deploys": deployer.deploys}
    guilty = shas["guilty"]
    stage.answer = {"commit": guilty, "decoys": [sha for sha in shas.values() if sha != guilty]}


if __name__ == "__main__":
    main(TOLD, play, HERE)
