"""All metrics of a bundle as series, read once a run and shared by the tools that need them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from threading import Lock
from typing import Any

import orjson

from fastagent.bundle import BundleFile
from fastagent.state import Gap
from fastagent.toolbox import Scope
from fastagent_tools.metrics.prometheus import read_api, read_text
from fastagent_tools.metrics.series import Series, sorted_by_time
from fastagent_tools.metrics.tables import NoTimeColumnError, read_table
from fastagent_tools.text.intake import read_log
from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock

MAX_BYTES = 64 * 1024 * 1024  # of one file; of a larger one the newest part is read
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Metrics:
    """Series, how many points they hold, and what could not be read."""

    series: tuple[Series, ...]
    points: int
    gaps: tuple[Gap, ...] = ()


def metrics_of(scope: Scope) -> Metrics:
    """The bundle's metrics. Tools ask from several threads; the first one reads."""
    with _LOCK:
        if "metrics" not in scope.memo:
            scope.memo["metrics"] = _read(scope)
    found: Metrics = scope.memo["metrics"]
    return found


def names_of(scope: Scope) -> Names:
    """The services that the incident and its topology know."""
    return Names([*scope.incident.services, *(name for call in calls_of(scope) for name in call)])


def calls_of(scope: Scope) -> tuple[tuple[str, str], ...]:
    """Who calls whom, as `topology.json` has it."""
    files = scope.bundle.of_part("topology") if scope.bundle else ()
    for file in files:
        try:
            value = orjson.loads(scope.bundle.locate(file.path).read_bytes())  # type: ignore[union-attr]
        except (OSError, ValueError):
            continue
        return _pairs(value)
    return ()


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    calls = value.get("calls") if isinstance(value, Mapping) else None
    pairs = [c for c in calls if isinstance(c, list) and len(c) == 2] if isinstance(calls, list) else []
    return tuple((str(caller), str(callee)) for caller, callee in pairs)


def _read(scope: Scope) -> Metrics:
    files = scope.bundle.of_part("metrics") if scope.bundle else ()
    names, clock = names_of(scope), Clock(datetime.now(UTC).year)
    series: list[Series] = []
    gaps: list[Gap] = []
    for file in files:
        if scope.left_s() <= 0:
            gaps.append(Gap(file.path, "timeout"))
            continue
        found, wrong = _of_file(scope, file, names, clock)
        series += found
        gaps += wrong
    series = [sorted_by_time(s) for s in series]
    return Metrics(tuple(series), sum(len(s.values) for s in series), tuple(gaps))


def _of_file(scope: Scope, file: BundleFile, names: Names, clock: Clock) -> tuple[list[Series], list[Gap]]:
    located = scope.bundle.locate(file.path)  # type: ignore[union-attr]
    raw = read_log(located, file.path, MAX_BYTES, lambda: scope.left_s() > 0)
    sheet = Sheet(file.path, raw.lines, max(raw.first, 1))
    stem = PurePosixPath(file.path).name.split(".")[0]
    try:
        found = _parse(sheet, stem, names, clock)
    except NoTimeColumnError:
        return [], [*raw.gaps, Gap(f"{file.path}: no column of times", "unreadable")]
    except ValueError:
        return [], [*raw.gaps, Gap(file.path, "unreadable")]
    return found, [*raw.gaps, *([] if found or raw.gaps else [Gap(f"{file.path}: no series in it", "unreadable")])]


def _parse(sheet: Sheet, stem: str, names: Names, clock: Clock) -> list[Series]:
    head = next((line.strip() for line in sheet.lines if line.strip()), "")
    if head.startswith(("{", "[")):
        return read_api(sheet, stem, names)
    if head.startswith("#") or ("," not in head and " " in head):
        return read_text(sheet, stem, names)
    return read_table(sheet, stem, names, clock)
