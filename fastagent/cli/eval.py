"""`fastagent eval`: every case of a folder, in parallel, each report a file; what is done is not done again."""

import multiprocessing
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import typer

from fastagent.errors import InputError
from fastagent.evaluation import (
    Case,
    Investigator,
    Setting,
    expected_of,
    find_cases,
    judge,
    read_report,
    write_report,
)
from fastagent.state import Report

OK, FAILED = 0, 1
_process: list[Investigator] = []  # of a worker process: made once, by its initializer


def run(root: Path, reports: Path, setting: Setting, jobs: int, *, again: bool = False) -> int:
    """Investigate all cases, print a line each and a summary. Exit status 1 if a case gave no answer."""
    cases = find_cases(root)
    try:
        reports.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{reports}: cannot write reports there: {error.strerror}") from None
    todo = [c for c in cases if again or read_report(_path(reports, c)) is None]
    typer.echo(f"{len(cases)} cases, {len(cases) - len(todo)} done before; {jobs} at a time", err=True)
    for done, case in enumerate(_investigated(todo, reports, setting, jobs), 1):
        typer.echo(f"{done:4}/{len(todo)}  {_line(case, reports)}", err=True)
    return _summary(cases, reports)


def _path(reports: Path, case: Case) -> Path:
    return reports / f"{case.id}.json"


def _investigated(todo: Sequence[Case], reports: Path, setting: Setting, jobs: int) -> Iterator[Case]:
    """The cases as they are finished. A worker that dies takes no case with it: what was running is tried once more."""
    left = list(todo)
    for last in (False, True):
        finished: list[Case] = []
        try:
            for case in _pooled(left, reports, setting, jobs):
                finished.append(case)
                yield case
        except BrokenProcessPool:
            left = [c for c in left if c not in finished]
            if last:
                for case in left:
                    write_report(_lost(), _path(reports, case))
                    yield case
            continue
        return


def _pooled(todo: Sequence[Case], reports: Path, setting: Setting, jobs: int) -> Iterator[Case]:
    context = multiprocessing.get_context("spawn")  # a forked event loop would be shared
    with ProcessPoolExecutor(jobs, context, _begin, (setting,)) as pool:
        running: dict[Future[None], Case] = {
            pool.submit(_one, case.bundle, _path(reports, case)): case for case in todo
        }
        try:
            for future in as_completed(running):
                future.result()
                yield running[future]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # a process that ends without it leaves its workers behind


def _begin(setting: Setting) -> None:
    _process.append(Investigator(setting))


def _one(bundle: Path, to: Path) -> None:
    write_report(_process[0].report(bundle), to)


def _lost() -> Report:
    return Report("failed", "", {}, None, notes=("the process that investigated this case died",))


def _line(case: Case, reports: Path) -> str:
    report = read_report(_path(reports, case)) or {}
    cause = report.get("root_cause") or {}
    said = f"{cause.get('component') or '-'}: {cause.get('category') or 'nothing wrong'}"[:60]
    wall_s = float((report.get("timing") or {}).get("wall_s") or 0.0)
    status = report.get("status", "failed")
    return f"{case.id:28} {status:9} {wall_s:6.2f} s  {said:60} {judge(report, expected_of(case))}"


def _summary(cases: Sequence[Case], reports: Path) -> int:
    """Shares of right answers where a case has one, statuses, wall times."""
    answers = [(read_report(_path(reports, c)) or {"status": "failed"}, expected_of(c)) for c in cases]
    statuses = Counter(str(report["status"]) for report, _ in answers)
    typer.echo(f"reports in {reports}: " + ", ".join(f"{n} {status}" for status, n in sorted(statuses.items())))
    for name, (right, of) in _shares(answers).items():
        typer.echo(f"  {name:10} {right} of {of}, {right / of:.2f}")
    walls_s = sorted(float(report.get("timing", {}).get("wall_s") or 0.0) for report, _ in answers)
    typer.echo(
        f"  wall       p50 {statistics.median(walls_s):.2f} s, p95 {walls_s[int(0.95 * (len(walls_s) - 1))]:.2f} s"
    )
    return FAILED if statuses["failed"] else OK


def _shares(answers: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> dict[str, tuple[int, int]]:
    verdicts = [judge(report, expected) for report, expected in answers]
    shares = {}
    for name in ("component", "category", "label", "change"):
        asked = [right for verdict in verdicts if (right := getattr(verdict, name)) is not None]
        if asked:
            shares[name] = (sum(asked), len(asked))
    return shares


def cores() -> int:
    """How many processes are worth starting: one a core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
