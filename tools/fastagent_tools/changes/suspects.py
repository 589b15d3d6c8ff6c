"""Which change the trouble points at: one that took effect shortly before it, where it fails, about what fails.

Most changes are innocent, and often all are: a change is a suspect only if it is about what fails, and the more words
other changes share with the trouble as well, the less such a word says.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fastagent.state import Finding
from fastagent.toolbox import Scope
from fastagent_tools.changes.change import Change, changes_of, words
from fastagent_tools.changes.effect import Effect, effect_of
from fastagent_tools.changes.mechanism import mechanism
from fastagent_tools.changes.releases import in_effect
from fastagent_tools.changes.trouble import Trouble, infrastructure, named_in, trouble_of
from fastagent_tools.text.times import Stamp, iso

HALF_LIFE_S = 3600.0  # so long before the onset, a change is half as suspect by its time
GRACE_S = 60.0  # clocks of different systems
TIME, PLACE, TOPIC = 0.3, 0.25, 0.45  # what each part can add; they make 1
SUSPECT_FROM = 0.7
SUSPECT_FROM_DESPITE = 0.9  # where what fails speaks of the ground under the services
OUTLIVED_SHARE = 0.6  # slow poisons exist, but most trouble comes with the release after which it begins
UNDEPLOYED_SHARE = 0.5  # nobody says that it ever ran
REMOVES_BONUS = 1.25  # taking something out breaks more than putting something in
# Of what is missing to certainty, a change gains this share: that wrote the failing line, that changes what the failure
# names, that does what can bring such a failure about.
SAME_LINE, SAME_NAME, SAME_KIND = 0.7, 0.6, 0.4
_HARMLESS = re.compile(
    r"\.(md|txt|rst|css|scss|svg|png)$|(^|/)(docs?|tests?|__tests__|spec)/"
    r"|^\.(github|circleci|gitlab)/"
    r"|CODEOWNERS|LICENSE"
    r"|_test\.\w+$|\.test\.\w+$|\.spec\.\w+$|^\.(gitignore|editorconfig)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A change with how far the trouble points at it, and why."""

    change: Change
    score: float
    why: str
    linked: bool = False  # more than common words ties its lines to what fails
    told: bool = False  # the failure itself tells of what it changes: its name, or the kind of thing


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
    latest = _latest(changes, trouble)
    judged = [_outlived(_judge(c, trouble, frequency, len(changes)), latest) for c in changes]
    return sorted((s for s in judged if s.score > 0), key=lambda s: (-s.score, s.change.id))


def _latest(changes: Sequence[Change], trouble: Trouble) -> dict[str, float]:
    """When the last release of each service before the trouble took effect."""
    until_s = math.inf if trouble.onset_s is None else trouble.onset_s + GRACE_S
    dated = [
        (c.service, c.at_s) for c in changes if c.service and c.deployed and c.at_s is not None and c.at_s <= until_s
    ]
    return dict(sorted(dated, key=lambda d: d[1]))


def _outlived(suspect: Suspect, latest: Mapping[str, float]) -> Suspect:
    """Less of a suspect where its service was released again before the trouble, unless the failure tells of it."""
    change = suspect.change
    if (
        suspect.told
        or not change.deployed
        or change.at_s is None
        or change.at_s >= latest.get(change.service, change.at_s)
    ):
        return suspect
    return replace(
        suspect, score=round(suspect.score * OUTLIVED_SHARE, 3), why=f"{suspect.why}, ran well until a later release"
    )


def is_blamed(suspect: Suspect, trouble: Trouble) -> bool:
    """Whether to say that this change did it: where the ground gave way, only if its lines are tied to what fails."""
    return suspect.score >= (SUSPECT_FROM_DESPITE if infrastructure(trouble) and not suspect.linked else SUSPECT_FROM)


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
    effect = effect_of(change.diff)
    score *= effect.share
    reasons = [_why(change, trouble, sorted(shared)), effect.says]
    links = list(_links(change, effect, trouble))
    for share, says in links:
        score += share * (1 - score)
        reasons.append(says)
    return Suspect(
        change,
        round(score, 3),
        ", ".join(filter(None, reasons)),
        bool(links),
        any(share != SAME_LINE for share, _ in links),
    )


def _links(change: Change, effect: Effect, trouble: Trouble) -> Iterator[tuple[float, str]]:
    """What ties the lines of a change to what fails beyond common words: share of the missing certainty, and why."""
    if line := _wrote(change.diff, trouble.code):
        yield SAME_LINE, f"wrote the line that fails: {line[:60]}"
    if name := next(iter(sorted(effect.names & named_in(trouble.logged))), ""):
        yield SAME_NAME, f"changes {name}, which the failure names"
    elif effect.share == 1.0 and (way := mechanism(trouble.logged, _touched(change.diff))):
        yield SAME_KIND, way


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
    return " ".join([change.id if change.kind == "flag" else "", change.text, *change.files, _touched(change.diff)])


def _touched(diff: str) -> str:
    return "\n".join(line for line in diff.splitlines() if line[:1] in ("+", "-"))


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
