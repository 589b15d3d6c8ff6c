"""Many recorded incidents, each investigated and held against its expected answer.

A case is `<case>/bundle/` with `<case>/expected.json` beside it, at any depth. The agent is given the bundle only;
`expected.json` is read after its report is written. Reports are files, so a run that was broken off goes on where it
stopped.
"""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from fastagent.ablation import Ablation
from fastagent.agent import Agent
from fastagent.backend import Choice
from fastagent.budget import Budget
from fastagent.errors import FastagentError, InputError
from fastagent.report import jsonfile
from fastagent.state import Report


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded incident; `expected` is where its answer stands, if it has one."""

    id: str
    bundle: Path
    expected: Path | None


@dataclass(frozen=True, slots=True)
class Setting:
    """How every case of a run is investigated."""

    sla_s: float = 10.0
    choice: Choice = Choice(pace="real")  # noqa: RUF009 - frozen
    withhold: tuple[Ablation, ...] = ()


def find_cases(root: Path) -> list[Case]:
    """Every case below `root`, by id. Raises `InputError` where there is none, or where two share an id."""
    found: dict[str, Case] = {}
    for bundle in _bundles(root):
        answer = bundle.parent / "expected.json"
        case = Case(bundle.parent.name, bundle, answer if answer.is_file() else None)
        if case.id in found:
            raise InputError(f"two cases are called {case.id}: {found[case.id].bundle} and {bundle}")
        found[case.id] = case
    if not found:
        raise InputError(f"{root}: no cases there; a case is a folder with bundle/ and expected.json")
    return [found[name] for name in sorted(found)]


def _bundles(root: Path) -> Iterator[Path]:
    """Folders called `bundle`; what lies inside one is evidence and no further case."""
    for folder, folders, _ in os.walk(root):
        if "bundle" in folders:
            folders.remove("bundle")
            yield Path(folder, "bundle")
        folders.sort()


class Investigator:
    """Investigates case after case in one process: imports, graph and connections are made once."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._agent = Agent(endpoint=setting.choice.endpoint(), tier=setting.choice.tier, withhold=setting.withhold)
        self._loop = asyncio.new_event_loop()

    def report(self, bundle: Path) -> Report:
        """The report on one bundle. A bundle that cannot be read gives a failed report that says why."""
        try:
            return self._loop.run_until_complete(self._agent.investigate(bundle, Budget(total_s=self._setting.sla_s)))
        except FastagentError as error:
            return Report("failed", self._agent.endpoint.answered_by, {"title": str(bundle)}, None, notes=(str(error),))


def write_report(report: Report, path: Path) -> None:
    """Write it whole or not at all."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(jsonfile.render(report), encoding="utf-8")
    unfinished.replace(path)


def read_report(path: Path) -> dict[str, Any] | None:
    """A report that was written earlier; None where there is none that can be read."""
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and "status" in value else None


def expected_of(case: Case) -> dict[str, Any]:
    """The case's answer, empty where there is none. To be read only after its report was written."""
    if case.expected is None:
        return {}
    try:
        value = orjson.loads(case.expected.read_bytes())
    except (OSError, ValueError):
        raise InputError(f"{case.expected}: not readable as JSON") from None
    return value if isinstance(value, dict) else {}
