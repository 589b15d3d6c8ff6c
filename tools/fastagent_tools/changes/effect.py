"""What a change does to what runs, read from its diff: most changes move code or nudge a value, and few do more."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z_]\w+|\d+(?:\.\d+)*")
_VERSIONED = re.compile(
    r"[\"']?([\w@./-]*[A-Za-z][\w@./-]*)[^\w\n]{1,8}v?(\d+)\.(\d+)(?:\.(\d+))?[\w.+-]*[\"',; ]*(?://.*)?"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
LEAST_CHARS = 3  # shorter names are locals: renaming one changes nothing
RECURS = 0.9  # of what a change takes out, so much comes back where it only moves code
NUDGE = 2.0  # a value that changes by less than this factor seldom tips anything
MOST_DIFF_CHARS = 200_000
# How much of a suspect is left that only does this. A slip in a move, a broken patch release or a value on the brink
# happen, but each is rare beside changes of what code does.
MOVES, PATCHES, NUDGES = 0.5, 0.5, 0.7


@dataclass(frozen=True, slots=True)
class Effect:
    """What is different after a change."""

    share: float  # of a suspect, 0 … 1
    names: frozenset[str]  # identifiers that it takes out or puts in, and packages whose version it changes
    says: str = ""


@lru_cache(maxsize=1024)
def effect_of(diff: str) -> Effect:
    """The effect of a unified diff, or of the +/- lines of one. Of an empty diff nothing is known."""
    out, into = _side(diff, "-"), _side(diff, "+")
    versions, before = _versions(into), _versions(out)
    bumped = {name for name in versions if name in before and versions[name] != before[name]}
    if bumped and len(before) == len(out):
        patch = all(versions[n][:2] == before[n][:2] for n in bumped)
        names = frozenset() if patch else frozenset(part for n in bumped for part in _packages(n))
        return Effect(PATCHES if patch else 1.0, names, "changes a patch level" if patch else "")
    gone, come = Counter(_names(out)), Counter(_names(into))
    names = frozenset(n.lower() for n in (gone - come) | (come - gone) if len(n) >= LEAST_CHARS)
    if _moves(gone, come):
        return Effect(MOVES, frozenset(), "moves code")
    if _nudges(out, into):
        return Effect(NUDGES, names, "nudges a value")
    return Effect(1.0, names)


def _side(diff: str, sign: str) -> list[str]:
    lines = diff[:MOST_DIFF_CHARS].splitlines()
    return [x[1:].strip() for x in lines if x[:1] == sign and x[:3] != sign * 3 and x[1:].strip()]


def _names(lines: list[str]) -> list[str]:
    return [name for line in lines for name in _NAME.findall(line)]


def _moves(gone: Counter[str], come: Counter[str]) -> bool:
    """Whether all that matters of what was taken out comes back, with no number that was not there."""
    telling = {n for n in gone if len(n) >= LEAST_CHARS or n[0].isdigit()}
    new = set(come) - set(gone)
    back = sum(n in come for n in telling)
    return bool(telling) and back >= RECURS * len(telling) and len(new) <= len(gone) and not any(map(_numeric, new))


def _numeric(name: str) -> bool:
    return name[0].isdigit()


def _nudges(out: list[str], into: list[str]) -> bool:
    """Whether only numbers differ, each by less than a factor of two."""
    if len(out) != len(into) or not out:
        return False
    pairs = [(a, b) for a, b in zip(out, into, strict=True) if a != b]
    same = all(_NUMBER.sub("#", a) == _NUMBER.sub("#", b) for a, b in pairs)
    values = [
        (float(x), float(y)) for a, b in pairs for x, y in zip(_NUMBER.findall(a), _NUMBER.findall(b), strict=False)
    ]
    return bool(pairs) and same and all(min(v) > 0 and max(v) / min(v) < NUDGE for v in values)


def _versions(lines: list[str]) -> dict[str, tuple[str, str, str]]:
    found = (_VERSIONED.fullmatch(line) for line in lines)
    return {m[1]: (m[2], m[3], m[4] or "0") for m in found if m}


def _packages(name: str) -> list[str]:
    """Words by which a failure may call a package: the last parts of its path that are no version."""
    parts = [p.lower() for p in re.split(r"[/@]", name) if p and not re.fullmatch(r"v\d+", p)]
    return [parts[-1], *parts[-1].split("-")] if parts else []
