"""`fastagent eval`: every case of a folder, in parallel, each report a file; what is done is not done again."""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from fastagent.bundle import Bundle
from fastagent.errors import FastagentError, InputError
from fastagent.evaluation.cases import (
    Case,
    Investigator,
    Setting,
    expected_of,
    find_cases,
    read_report,
    write_report,
)
from fastagent.evaluation.comparison import Comparison, Pair, compare
from fastagent.evaluation.judging import Verdict, judge
from fastagent.evaluation.measures import Summary, summary
from fastagent.evaluation.page import page
from fastagent.evaluation.variants import exchanged, relabelled, renamer, uncited
from fastagent.report import jsonfile
from fastagent.state import Report

OK, FAILED = 0, 1
_process: list[Investigator] = []  # of a worker process: made once, by its initializer


class Variant(StrEnum):
    """What is changed in each bundle before it is investigated."""

    relabel = "relabel"  # names exchanged; the report is told in the old names
    uncited = "uncited"  # without the sources that the compared report cites


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run, and where reports go."""

    root: Path
    reports: Path
    setting: Setting
    jobs: int
    again: bool = False
    variant: Variant | None = None
    against: Path | None = None  # reports of another run, to compare with
    html: Path | None = None


def run(plan: Plan) -> int:
    """Investigate all cases, print a line each and a summary. Exit status 1 if a case gave no answer."""
    cases = find_cases(plan.root)
    if plan.variant is Variant.uncited and plan.against is None:
        raise InputError("what was cited is known from another run: give its folder of reports as --compare")
    if plan.against is not None and not plan.against.is_dir():
        raise InputError(f"{plan.against}: no folder of reports")
    try:
        plan.reports.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{plan.reports}: cannot write reports there: {error.strerror}") from None
    todo = [c for c in cases if plan.again or read_report(_path(plan.reports, c)) is None]
    typer.echo(f"{len(cases)} cases, {len(cases) - len(todo)} done before; {plan.jobs} at a time", err=True)
    for done, case in enumerate(_investigated(todo, plan), 1):
        typer.echo(f"{done:4}/{len(todo)}  {_line(case, plan.reports)}", err=True)
    return _conclude(cases, plan)


def _path(reports: Path, case: Case) -> Path:
    return reports / f"{case.id}.json"


def _investigated(todo: Sequence[Case], plan: Plan) -> Iterator[Case]:
    """The cases as they are finished. A worker that dies takes no case with it: what was running is tried once more."""
    left = list(todo)
    for last in (False, True):
        finished: list[Case] = []
        try:
            for case in _pooled(left, plan):
                finished.append(case)
                yield case
        except BrokenProcessPool:
            left = [c for c in left if c not in finished]
            if last:
                for case in left:
                    write_report(_lost(), _path(plan.reports, case))
                    yield case
            continue
        return


def _pooled(todo: Sequence[Case], plan: Plan) -> Iterator[Case]:
    context = multiprocessing.get_context("spawn")  # a forked event loop would be shared
    with ProcessPoolExecutor(plan.jobs, context, _begin, (plan.setting,)) as pool:
        running: dict[Future[None], Case] = {
            pool.submit(_one, case, _path(plan.reports, case), plan.variant, plan.against): case for case in todo
        }
        try:
            for future in as_completed(running):
                future.result()
                yield running[future]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # a process that ends without it leaves its workers behind


def _begin(setting: Setting) -> None:
    _process.append(Investigator(setting))


def _one(case: Case, to: Path, variant: Variant | None, against: Path | None) -> None:
    if variant is None:
        write_report(_process[0].report(case.bundle), to)
        return
    earlier = (read_report(_path(against, case)) if against else None) or {}
    with tempfile.TemporaryDirectory(prefix="fastagent-eval-") as folder:
        copy = Path(folder, "bundle")
        if variant is Variant.uncited:
            uncited(case.bundle, copy, earlier.get("evidence") or ())
            write_report(_process[0].report(copy), to)
        else:
            mapping = exchanged(_names(case))
            relabelled(case.bundle, copy, mapping)
            back = renamer({new: old for old, new in mapping.items()})
            _write(back(jsonfile.render(_process[0].report(copy))), to)


def _names(case: Case) -> Sequence[str]:
    """The services that a bundle says it is about."""
    try:
        return Bundle.open(case.bundle).incident.services
    except FastagentError:
        return ()


def _write(text: str, to: Path) -> None:
    unfinished = to.with_suffix(".part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(to)


def _lost() -> Report:
    return Report("failed", "", {}, None, notes=("the process that investigated this case died",))


def _line(case: Case, reports: Path) -> str:
    report = read_report(_path(reports, case)) or {}
    cause = report.get("root_cause") or {}
    said = f"{cause.get('component') or '-'}: {cause.get('category') or 'nothing wrong'}"[:60]
    wall_s = float((report.get("timing") or {}).get("wall_s") or 0.0)
    status = report.get("status", "failed")
    return f"{case.id:28} {status:9} {wall_s:6.2f} s  {said:60} {judge(report, expected_of(case))}"


def _conclude(cases: Sequence[Case], plan: Plan) -> int:
    rows = [(c.id, r, judge(r, expected_of(c))) for c in cases for r in [_report(plan.reports, c)]]
    found = summary([(report, verdict) for _, report, verdict in rows])
    compared = compare(_pairs(cases, plan.against, rows)) if plan.against else None
    _say(found, plan.reports, compared)
    if plan.html:
        _publish(plan, page(f"{plan.root.resolve().name}: {len(cases)} cases", found, rows, compared))
    return FAILED if found.statuses.get("failed") else OK


def _report(reports: Path, case: Case) -> Mapping[str, Any]:
    return read_report(_path(reports, case)) or {"status": "failed"}


def _pairs(cases: Sequence[Case], against: Path, rows: Sequence[tuple[str, Mapping[str, Any], Verdict]]) -> list[Pair]:
    """The cases that both runs have a report on."""
    pairs = []
    for case, (_, now, verdict) in zip(cases, rows, strict=True):
        before = read_report(_path(against, case))
        if before is not None:
            pairs.append(Pair(case.id, before, now, judge(before, expected_of(case)).right, verdict.right))
    return pairs


def _say(found: Summary, reports: Path, compared: Comparison | None) -> None:
    statuses = ", ".join(f"{n} {status}" for status, n in sorted(found.statuses.items()))
    typer.echo(f"reports in {reports}: {statuses}")
    lines = [
        *found.parts.items(),
        ("answered", found.answered),
        ("quotes", found.quotes),
        *found.verdicts.items(),
        ("surely wrong", found.surely_wrong),
    ]
    for name, share in lines:
        typer.echo(f"  {name:13} {share}")
    typer.echo(f"  {'wall':13} p50 {found.wall_p50_s:.2f} s, p95 {found.wall_p95_s:.2f} s")
    typer.echo(f"  {'tokens':13} {found.tokens_in:,} in, {found.tokens_out:,} out")
    if compared:
        typer.echo(f"  {'same verdict':13} {compared.same}")
        typer.echo(f"  {'less sure':13} {compared.weaker}")
        typer.echo(f"  {'better':13} {len(compared.better)} {' '.join(compared.better)}")
        typer.echo(f"  {'worse':13} {len(compared.worse)} {' '.join(compared.worse)}")
        typer.echo(f"  {'p':13} {compared.p_value:.3f}")


def _publish(plan: Plan, text: str) -> None:
    try:
        plan.html.write_text(text, encoding="utf-8")  # type: ignore[union-attr]  # asked by whoever calls
    except OSError as error:
        raise InputError(f"{plan.html}: cannot write the page: {error.strerror}") from None


def cores() -> int:
    """How many processes are worth starting: one a core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
