"""One look at a set of events: groups, ranks, severity. Shared by the tools that judge logs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from fastagent.state import Severity
from fastagent.toolbox import Scope
from fastagent_tools.logs import levels
from fastagent_tools.logs.baseline import Baseline
from fastagent_tools.logs.corpus import Corpus, corpus_of
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.groups import Group, Span, group, span_of
from fastagent_tools.logs.novelty import GRACE_S, Ranked, Setting, rank
from fastagent_tools.logs.window import choose
from fastagent_tools.text.times import Clock

_LOCK = Lock()
_CI = ("github-actions", "mozharness", "taskcluster")
_LAST_LINES, _LOOK_AT_CHARS = 40, 300
_JOB_ENDS = re.compile(
    r"^Finished: (FAILURE|SUCCESS|UNSTABLE|ABORTED)|^ERROR: Job failed|^Job (succeeded|failed)"
    r"|Your build exited with \d"
    r"|Done\. Your build|^BUILD (FAILED|SUCCESSFUL)|^\[INFO\] BUILD (FAILURE|SUCCESS)|^make(\[\d+\])?: \*\*\* "
    r"|^npm ERR! A complete log"
    r"|^Exited with code exit status \d|^=+ .*\b(passed|failed)\b.* in [\d.]+s"
)
_GAVE_UP = re.compile(
    r"##\[error\]|process completed with exit code [1-9]|^ERROR: Job failed|error: command failed|TEST-UNEXPECTED"
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found among some events."""

    events: Sequence[Event]
    groups: Sequence[Group]
    ranked: Sequence[Ranked]
    span: Span | None
    ci: bool = False
    baseline: Baseline | None = None

    @property
    def found(self) -> Mapping[str, int]:
        """How many kinds of errors there are, how many of them are new, how many came in a burst."""
        errors = [r for r in self.ranked if levels.RANK[r.group.level] >= levels.RANK["error"]]
        return {
            "error": len(errors),
            "new": sum("first seen" in r.reason for r in errors),
            "burst": sum("burst" in r.reason for r in errors),
        }

    @property
    def severity(self) -> Severity:
        """The worst of all that was found, info where nothing was. A failed CI job is an error and no outage."""
        level = ""
        for r in self.ranked:
            level = levels.worse(level, r.group.level)
        return "error" if self.ci and level == "critical" else levels.severity(level)


def analysis_of(scope: Scope) -> Analysis:
    """All logs of the run, analysed once and shared by the tools that need it."""
    with _LOCK:
        if "log analysis" not in scope.memo:
            corpus = corpus_of(scope)
            events = choose(corpus, "", *_window(scope.incident.log_window))
            scope.memo["log analysis"] = analyse(corpus, events, scope.incident.started_at)
    found: Analysis = scope.memo["log analysis"]
    return found


def _ends_as_job(lines: Sequence[str]) -> bool:
    """Whether a log ends as that of a build does, whoever ran it."""
    return any(_JOB_ENDS.search(line[:_LOOK_AT_CHARS]) for line in lines[-_LAST_LINES:])


def _window(value: Any) -> tuple[str, str]:
    if isinstance(value, list | tuple) and len(value) == 2:
        return str(value[0] or ""), str(value[1] or "")
    return "", ""


def analyse(corpus: Corpus, events: Sequence[Event], started_at: str | None) -> Analysis:
    """Group and rank. `started_at` is the incident's own idea of when it began, if it has one."""
    good = [e for e in events if corpus.files[e.file].reference]
    events = [e for e in events if not corpus.files[e.file].reference] if good else events
    span = span_of(events)
    groups = group(corpus, events, span)
    baseline = Baseline.of(group(corpus, good, span_of(good))) if good else None
    ci = any(f.layout.name.startswith(_CI) or _ends_as_job(f.lines) for f in corpus.files)
    setting = Setting(span, _onset(started_at, span), len(events), ci, _end(groups) if ci else None, baseline)
    return Analysis(events, groups, rank(groups, setting), span, ci, baseline)


def _onset(started_at: str | None, span: Span | None) -> float | None:
    """Where in the span the trouble begins, a little before it was noticed."""
    stamp = Clock(1970).read(started_at) if started_at else None
    if stamp is None or span is None:
        return None
    grace_s = min(GRACE_S, 0.1 * (span.end_s - span.start_s))
    return span.place(stamp.at_s - grace_s)


def _end(groups: Sequence[Group]) -> float | None:
    """Where a CI job gave up: the last line that says so."""
    return max((max(g.places) for g in groups if _GAVE_UP.search(g.first.message)), default=None)
