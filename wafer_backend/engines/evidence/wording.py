"""The statement of a diagnosis: what is known, in as many words as the report may hold."""

import re
from collections.abc import Sequence

MOST_WORDS, MOST_CHARS = 60, 400
TELLING_CHARS = 50  # of a finding; where they stand already, it says nothing new
FEW = 3  # different things to say need not be cut short
MOST_FIRST_CHARS, SHORT_FIRST_CHARS = 260, 200  # of the strongest finding: with few others, with many
MOST_FINDING_CHARS, LEAST_FINDING_CHARS = 130, 75  # of each further one
LABEL_CHARS, MOST_SHARED = 50, 0.7  # how a statement names its kind; from so many shared words on it is the same again
_WRAPS = re.compile(r"\b(?:fail\w*|errors?|cannot|could not|unable)\b[^:]*: ", re.IGNORECASE)
NESTED_FROM, TAIL_SHARE = 3, 0.6
_COUNTED = re.compile(r" \[\d+ times(?: since [^\]]*)?\]$")  # how often and since when is told elsewhere
_SENTENCE = re.compile(r"(?<=[a-z)]{3})\. (?=[A-Z])")
_SAYS_NOTHING = re.compile(r"Traceback \(most recent call last\):?|\W*")


def fitting(opening: str, statements: Sequence[str]) -> str:
    """As many of the statements as the answer may hold, shortened; different things before further instances."""
    parts = [opening.rstrip(".") + "."]
    first, again = _by_novelty(statements)
    few = len(first) <= FEW
    much = MOST_FIRST_CHARS if few else SHORT_FIRST_CHARS
    share = max(LEAST_FINDING_CHARS, (MOST_CHARS - len(opening) - much) // max(1, len(first) - 1))
    for number, statement in enumerate([*first, *again]):
        short = _short(statement, much if number == 0 else min(MOST_FINDING_CHARS, share), whole=few)
        longer = " ".join([*parts, f"{short}."])
        fits = len(longer.split()) <= MOST_WORDS and len(longer) <= MOST_CHARS
        if fits and short[:TELLING_CHARS] not in " ".join(parts):
            parts.append(f"{short}.")
    text = " ".join(" ".join(parts).split()[:MOST_WORDS])
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1] + "…"


def _by_novelty(statements: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that say something new, and those that begin like an earlier one or have most of its words."""
    first: list[str] = []
    again: list[str] = []
    for statement in (s for s in dict.fromkeys(statements) if not _SAYS_NOTHING.fullmatch(s)):
        known = any(_begin(statement) == _begin(f) or _shared(statement, f) > MOST_SHARED for f in first)
        (again if known else first).append(statement)
    return first, again


def _begin(statement: str) -> str:
    head = statement[:LABEL_CHARS]
    return head.split(":", maxsplit=1)[0] if ": " in head else head


def _shared(one: str, other: str) -> float:
    """The share of the shorter one's words that the other has as well."""
    a, b = set(one.lower().split()), set(other.lower().split())
    return len(a & b) / max(1, min(len(a), len(b)))


def _short(statement: str, most: int, *, whole: bool) -> str:
    """A finding's words, so that several find room: unless it may stand whole, its first sentence will do."""
    text = _COUNTED.sub("", statement.rstrip(".")).rstrip(".")
    text = text if whole else _SENTENCE.split(text, maxsplit=1)[0]
    if len(text) <= most:
        return text
    if len(_WRAPS.findall(text)) < NESTED_FROM:
        return f"{text[: most - 1].rstrip()}…"
    tail = int(most * TAIL_SHARE)  # errors are wrapped from without: the innermost, which tells most, comes last
    return f"{text[: most - tail - 3].rstrip()} … {text[-tail:].lstrip()}"
