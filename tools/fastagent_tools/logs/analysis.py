"""One look at a set of events: groups, ranks, severity. Shared by the tools that judge logs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastagent.state import Severity
from fastagent_tools.logs import levels
from fastagent_tools.logs.corpus import Corpus
from fastagent_tools.logs.events import Event
from fastagent_tools.logs.groups import Group, Span, group, span_of
from fastagent_tools.logs.novelty import GRACE_S, Ranked, Setting, rank
from fastagent_tools.logs.times import Clock

_CI = ("github-actions", "mozharness", "taskcluster")
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

    @property
    def severity(self) -> Severity:
        """The worst of all that was found, info where nothing was. A failed CI job is an error and no outage."""
        level = ""
        for r in self.ranked:
            level = levels.worse(level, r.group.level)
        return "error" if self.ci and level == "critical" else levels.severity(level)


def analyse(corpus: Corpus, events: Sequence[Event], started_at: str | None) -> Analysis:
    """Group and rank. `started_at` is the incident's own idea of when it began, if it has one."""
    span = span_of(events)
    groups = group(corpus, events, span)
    ci = any(f.layout.name.startswith(_CI) for f in corpus.files)
    setting = Setting(span, _onset(started_at, span), len(events), ci, _end(groups) if ci else None)
    return Analysis(events, groups, rank(groups, setting), span, ci)


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
