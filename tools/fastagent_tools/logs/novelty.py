"""What matters among all that was logged: new beats old, specific beats vague, severe beats mild, rare beats constant.

    score = severity x specificity x novelty x damping

Noise that was there before the trouble began ranks below what began with it. The numbers are judgement, kept in one
place; the tests hold the order they produce, not the numbers.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastagent_tools.logs.baseline import Baseline
from fastagent_tools.logs.groups import Group, Span

SEVERITY = {"critical": 1.0, "error": 0.85, "warning": 0.5, "info": 0.12, "debug": 0.05, "trace": 0.05, "": 0.1}
OLD, STEADY, UNKNOWN, BURST, NEW = 0.35, 0.65, 0.75, 0.9, 1.0
HISTORY = 0.1  # share of the span that must have passed quietly before a first appearance counts as new
_WINDOWS = 20  # parts of the span among which a burst stands out
_BURST_AT = 5.0  # times the rate of the rest
_LEAST_EVENTS = 30  # of all kinds; fewer lines are no history to compare with
GRACE_S = 300.0  # alerts come after what they tell of

_TERMINAL = re.compile(  # says that something failed, not what
    r"process completed with exit code|exiting with|exit (code|status) \d+$|build failed|^error: test failed|make(\[\d+\])?: \*\*\*|npm ERR! (code|errno)"
    r"|command failed|the following (tests|commands) failed|returned non-zero|\d+ (failed|errors?)\b.*\bpassed|see (the )?logs?\b|aborting due to|could not compile `",
    re.IGNORECASE,
)
_POINTED = re.compile(  # names what failed
    r"##\[error\]|\bFAILED? [\w\[/]|TEST-UNEXPECTED|\b\w+(Error|Exception)\b:|^E  +\w|error\[E\d+\]|error TS\d+|: (fatal )?error:? |^\s*(fatal|error): \S|not found\b|undefined reference"
    r"|AssertionError|assert(ion)? .{0,40}fail|--- FAIL: |panicked at",
)
_PACKAGE_NOISE = re.compile(
    r"deprecat|npm warn|is not set\b|skipp(ed|ing)|retrying|will retry|if[- ]no[- ]files[- ]found|continue-on-error",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A group with its score and the reasons in words."""

    group: Group
    kind: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What groups are judged against."""

    span: Span | None
    onset: float | None  # where in the span the trouble is known to begin
    events: int
    ci: bool = False
    end: float | None = None  # where a CI job gave up
    baseline: Baseline | None = None


def rank(groups: Sequence[Group], setting: Setting) -> list[Ranked]:
    """The groups worth showing, best first."""
    ranked = [_judge(g, setting) for g in groups if SEVERITY[g.level] >= SEVERITY["warning"]]
    return sorted(
        ranked, key=lambda r: (-r.score, min(r.group.places, default=0.0), r.group.first.file, r.group.first.line)
    )


def _judge(group: Group, setting: Setting) -> Ranked:
    novelty, age = _novelty(group, setting)
    specific, name = _specificity(group)
    damping = 1 / (1 + 0.08 * math.log10(group.count)) if novelty < BURST else 1.0
    score = SEVERITY[group.level] * specific * novelty * damping
    if setting.end is not None:
        score *= _near_end(group, setting.end)
    reason = "; ".join(filter(None, (name, group.level if group.level != "critical" else "fatal", age, _times(group))))
    kind = _kind(group, age)
    if setting.ci:  # a job is judged by rules of its own: a refused connection in it is no outage
        kind = f"ci.{kind.removeprefix('log.')}"
    return Ranked(group, kind, round(min(score, 1.0), 4), reason)


def _kind(group: Group, age: str) -> str:
    """The most specific kind there is."""
    if group.fault and group.level in ("error", "critical"):
        return f"log.fatal.{group.fault.name}"
    if group.first.stack:
        return "log.stack"
    if group.level == "warning":
        return f"log.fatal.{group.fault.name}" if group.fault else "log.warning"
    if age.startswith("first seen"):
        return "log.error.new"
    return "log.error.burst" if age.startswith("burst") else "log.error"


def _specificity(group: Group) -> tuple[float, str]:
    text = group.first.cause or group.first.message
    if _TERMINAL.search(text):
        return 0.45, "says that it failed, not why"
    if _PACKAGE_NOISE.search(text) and group.level == "warning":
        return 0.4, ""
    if group.fault:
        return (1.0 if group.fault.severity == "critical" else 0.95), group.fault.says
    if group.first.stack:
        return 0.95, "a stack trace"
    if _POINTED.search(text):
        return 0.9, "names what failed"
    return (0.75 if len(text) > 15 else 0.5), ""


def _novelty(group: Group, setting: Setting) -> tuple[float, str]:
    """How far this began with the trouble, in words as well."""
    if setting.baseline is not None:
        return _against(group, setting.baseline, setting.events)
    first = min(group.places, default=0.0)
    if setting.onset is not None and HISTORY < setting.onset <= 1:
        if first >= setting.onset:
            return NEW, "first seen with the trouble"
        before = sum(place < setting.onset for place in group.places) / setting.onset
        after = (group.count - before * setting.onset) / max(1 - setting.onset, 1e-6)
        if after > _BURST_AT * before:
            return BURST, f"burst since the trouble began, {after / max(before, 1e-6):.0f} times as often"
        return OLD, "was there before the trouble"
    if setting.events < _LEAST_EVENTS or setting.ci:
        return UNKNOWN, ""
    if first > HISTORY:
        return NEW, f"first seen {first:.0%} into the log"
    return _steadiness(group)


def _against(group: Group, baseline: Baseline, events: int) -> tuple[float, str]:
    """What a good time says about it: never seen there, much more often now, or as ever."""
    usual = baseline.expected(group, events)
    if usual == 0:
        return NEW, "first seen, not in the baseline"
    if group.count > _BURST_AT * max(usual, 1.0):
        return BURST, f"burst, {group.count / usual:.0f} times as often as in the baseline"
    return OLD, "as in the baseline"


def _steadiness(group: Group) -> tuple[float, str]:
    windows = [0] * _WINDOWS
    for place in group.places:
        windows[min(int(max(place, 0.0) * _WINDOWS), _WINDOWS - 1)] += 1
    densest = max(windows)
    rest = (group.count - densest) / (_WINDOWS - 1)
    if densest >= 5 and densest > _BURST_AT * max(rest, 0.2) and windows.index(densest) > 0:
        return BURST, f"burst, {densest} of {group.count} in a twentieth of the time"
    if sum(map(bool, windows)) >= _WINDOWS // 2:
        return STEADY, "all along"  # nobody says that it was well before
    return UNKNOWN, ""


def _near_end(group: Group, end: float) -> float:
    """A CI job stops at its failure: what stands shortly before the end explains it."""
    distance = min(abs(end - place) for place in group.places)
    return 0.6 + 0.4 / (1 + 12 * distance)


def _times(group: Group) -> str:
    return f"{group.count} times" if group.count > 1 else "once"
