"""What is particular to `fastagent triage`: logs and their baseline, a stretch of their time, and when to fail."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastagent.bundle import Bundle
from fastagent.cli.options import FailOn
from fastagent.cli.process import INPUT_SHARE, age_s
from fastagent.cli.stdin import spooled
from fastagent.errors import InputError
from fastagent.state import Report

FOUND = 4
_LONG = re.compile(r"\d{1,6}\s*[smhd]")
_TIME = re.compile(rf"{_LONG.pattern}|\d{{4}}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?")


@contextmanager
def bundle(paths: Sequence[str], baseline: Sequence[Path], window: Any, sla_s: float) -> Iterator[Bundle]:
    """The logs as evidence; standard input is kept in a file for as long, and may take its share of the time."""
    with spooled(paths, lambda: INPUT_SHARE * sla_s - age_s()) as (files, gaps):
        logs = replace(Bundle.of_logs(files, baseline), gaps=gaps)
        yield logs.with_incident(log_window=window) if window else logs


def window(since: str, until: str, last: str) -> tuple[str, str] | None:
    """From and to, as given: times, or how long before the end. Raises `InputError` for both at once."""
    for option, value in (("--since", since), ("--until", until), ("--last", last)):
        if value and not _TIME.fullmatch(value.strip()):
            raise InputError(f"{option} {value!r}: write 2026-12-01T05:40:00Z, or 15m for that long before the end")
    if last and not _LONG.fullmatch(last.strip()):
        raise InputError(f"--last {last!r}: write how long before the end, such as 15m or 2h")
    if last and (since or until):
        raise InputError("--last does not go together with --since and --until")
    return (last or since, until) if last or since or until else None


def status_of(fail_on: FailOn | None) -> Callable[[Report], int] | None:
    """Gives 4 for a report whose logs hold what was asked to fail on; None where nothing was."""
    if fail_on is None:
        return None

    def judge(report: Report) -> int:
        return FOUND if report.logs.get("found", {}).get(fail_on.value) else 0

    return judge
