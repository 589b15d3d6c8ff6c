"""Which change the trouble points at: one that took effect shortly before it, where it fails, about what fails.

Most changes are innocent, and often all are: a change is a suspect only if it is about what fails, and the more words
other changes share with the trouble as well, the less such a word says.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastagent.state import Finding
from fastagent.toolbox import Scope
from fastagent_tools.changes.change import Change, changes_of, words
from fastagent_tools.changes.releases import in_effect
from fastagent_tools.logs.analysis import analysis_of
from fastagent_tools.logs.corpus import corpus_of
from fastagent_tools.logs.novelty import Ranked
from fastagent_tools.metrics.load import metrics_of
from fastagent_tools.metrics.overview import changes_of as metric_changes
from fastagent_tools.text.times import Clock, Stamp, iso

HALF_LIFE_S = 3600.0  # so long before the onset, a change is half as suspect by its time
GRACE_S = 60.0  # clocks of different systems
TIME, PLACE, TOPIC = 0.3, 0.25, 0.45  # what each part can add; they make 1
SUSPECT_FROM = 0.7
SUSPECT_FROM_DESPITE = 0.9  # where what fails speaks of the ground under the services
TELLING_FROM = 0.5  # a log line's score
UNDEPLOYED_SHARE = 0.5  # nobody says that it ever ran
REMOVES_BONUS = 1.25  # taking something out breaks more than putting something in
SAME_LINE = 0.7  # of what is missing to certainty, a change that wrote the failing line gains this share
LEAST_CODE_CHARS, STACK_LINES = 12, 60
LOGS_LOOKED_AT = 12
_HARMLESS = re.compile(
    r"\.(md|txt|rst|css|scss|svg|png)$|(^|/)(docs?|tests?|__tests__|spec)/"
    r"|^\.(github|circleci|gitlab)/"
    r"|CODEOWNERS|LICENSE"
    r"|_test\.\w+$|\.test\.\w+$|\.spec\.\w+$|^\.(gitignore|editorconfig)",
    re.IGNORECASE,
)
_INFRASTRUCTURE = re.compile(
    r"\bnode\b|kubelet|noisy neighbou?r|evict|throttl|availability zone|\baz\b|provider|third[- ]party"
    r"|certificate.{0,20}expir|disk (is )?full|no space left|hardware|dns|quota|rate limit|traffic (spike|surge)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A change with how far the trouble points at it, and why."""

    change: Change
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """What fails: since when, where, in which words."""

    onset_s: float | None
    entities: frozenset[str]
    text: str
    code: frozenset[str] = frozenset()  # lines of code that stack traces show


def suspects_of(scope: Scope) -> list[Finding]:
    """The suspects as findings about the services they were deployed to, most suspect first."""
    return [finding(s) for s in suspects(scope)]


def suspects(scope: Scope) -> list[Suspect]:
    """All changes that could have brought it about, most suspect first."""
    changes = in_effect(changes_of(scope)[0])
    if not changes:
        return []
    trouble = trouble_of(scope)
    frequency = Counter(word for c in changes for word in words(_about(c)))
    judged = [_judge(c, trouble, frequency, len(changes)) for c in changes]
    return sorted((s for s in judged if s.score > 0), key=lambda s: (-s.score, s.change.id))


def trouble_of(scope: Scope) -> Trouble:
    """What fails, from alerts, metrics and logs."""
    ranked = analysis_of(scope).ranked[:LOGS_LOOKED_AT]
    moved = metric_changes(scope, metrics_of(scope))[:LOGS_LOOKED_AT]
    times = [c.onset_s for _, c in moved if c.kind in ("errors", "availability", "latency")]
    times += [r.group.first.stamp.at_s for r in ranked if r.group.first.stamp and r.score >= TELLING_FROM]
    started = Clock(1970).read(scope.incident.started_at or "")
    onset_s = min(times, default=started.at_s if started else None)
    said = [scope.incident.title, scope.incident.context, *map(str, scope.incident.alerts)]
    text = " ".join([*said, *(r.group.first.message for r in ranked), *(c.series.metric for _, c in moved)])
    entities = {r.group.service for r in ranked[:3]} | {c.series.entity for _, c in moved[:3]}
    return Trouble(onset_s, frozenset(entities), text, frozenset(_code(scope, ranked)))


def _code(scope: Scope, ranked: Sequence[Ranked]) -> Iterator[str]:
    """Lines of the stack traces among these, without the space around them."""
    corpus = corpus_of(scope)
    for event in (r.group.first for r in ranked):
        if event.stack or event.lines > 1:
            for number in range(event.line + 1, event.line + min(event.lines, STACK_LINES)):
                line = corpus.files[event.file].raw(number).strip()
                if len(line) >= LEAST_CODE_CHARS and not line.startswith(("File ", "at ", "Traceback", "^", "~")):
                    yield line


def bar(trouble: Trouble) -> float:
    """The score from which a change is blamed."""
    return SUSPECT_FROM_DESPITE if infrastructure(trouble) else SUSPECT_FROM


def infrastructure(trouble: Trouble) -> str:
    """Words that say that the ground gave way and no change of the services did it; "" where there are none."""
    found = _INFRASTRUCTURE.search(trouble.text)
    return found[0] if found else ""


def _judge(change: Change, trouble: Trouble, frequency: Counter[str], count: int) -> Suspect:
    time = _time(change, trouble)
    if time == 0:
        return Suspect(change, 0.0, "took effect after the trouble began")
    shared = words(_about(change)) & words(trouble.text)
    topic = _topic(shared, frequency, count)
    place = 1.0 if change.service and change.service in trouble.entities else 0.3 if not change.service else 0.0
    score = TIME * time + PLACE * place + TOPIC * topic
    if change.files and all(_HARMLESS.search(f) for f in change.files):
        score *= 0.2
    if change.kind == "commit" and not change.deployed:
        score *= UNDEPLOYED_SHARE
    if _removes(change.diff):
        score = min(1.0, score * REMOVES_BONUS)
    why = _why(change, trouble, sorted(shared))
    if line := _wrote(change.diff, trouble.code):
        score, why = score + SAME_LINE * (1 - score), f"{why}, wrote the line that fails: {line[:60]}"
    return Suspect(change, round(score, 3), why)


def _time(change: Change, trouble: Trouble) -> float:
    if change.at_s is None or trouble.onset_s is None:
        return 0.3
    before_s = trouble.onset_s - change.at_s
    return 0.0 if before_s < -GRACE_S else 0.5 ** (max(0.0, before_s) / HALF_LIFE_S)


def _topic(shared: set[str], frequency: Counter[str], count: int) -> float:
    """0..1: rare words that the change shares with the trouble, each after the first counting less."""
    weights = sorted((math.log((1 + count) / frequency[w]) / math.log(1 + count) for w in shared), reverse=True)
    doubt = 1.0
    for weight in weights[:8]:
        doubt *= 1 - 0.4 * weight
    return 1 - doubt


def _wrote(diff: str, code: frozenset[str]) -> str:
    """A line that the change added and that a stack trace shows; "" where there is none."""
    added = (line[1:].strip() for line in diff.splitlines() if line.startswith("+"))
    return next((line for line in added if line in code), "")


def _removes(diff: str) -> bool:
    """Whether it mainly takes code out."""
    lines = [
        line for line in diff.splitlines() if line[:1] in "+-" and line[1:].strip() and line[:3] not in ("+++", "---")
    ]
    gone = sum(line[0] == "-" for line in lines)
    return gone > len(lines) - gone


def _about(change: Change) -> str:
    """What the change is about: its words and what it touches, not the lines that merely stand around it."""
    touched = "\n".join(line for line in change.diff.splitlines() if line[:1] in ("+", "-"))
    return " ".join([change.id if change.kind == "flag" else "", change.text, *change.files, touched])


def _why(change: Change, trouble: Trouble, shared: Sequence[str]) -> str:
    parts = []
    if change.at_s is not None and trouble.onset_s is not None:
        parts.append(f"took effect {_long(max(0.0, trouble.onset_s - change.at_s))} before the trouble began")
    if change.service:
        parts.append(f"in {change.service}")
    if shared:
        parts.append(f"touches {', '.join(shared[:5])}")
    return ", ".join(parts)


def _long(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3600:.0f} h"


def finding(suspect: Suspect) -> Finding:
    """A suspect in words."""
    change = suspect.change
    stamp = Stamp(change.at_s, zoned=True) if change.at_s is not None else None
    what = " ".join(change.text.split())[:120]
    return Finding(
        kind=f"change.{change.kind}",
        statement=f"{change.kind} {change.id[:12] if change.kind != 'flag' else change.id} ({what}) {suspect.why}",
        severity="warning" if suspect.score >= SUSPECT_FROM else "info",
        entity=change.service,
        time=iso(stamp),
        quote=change.quote,
        source=change.source,
        score=suspect.score,
        reason=suspect.why,
    )
