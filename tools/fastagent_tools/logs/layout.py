"""How a file is written: what wraps each line (a container runtime, a CI runner), and the formats of what is inside.

Both are found on a sample, and how sure that is gets reported. Lines of other formats in a mixed file are read by
whichever of the file's formats takes them.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fastagent_tools.logs.formats import FORMATS, PLAIN, Fields, Format
from fastagent_tools.logs.table import csv_format

SAMPLE_LINES = 300
_ANSI = re.compile(r"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_RARE = 0.02  # a format seen in fewer lines of the sample is not tried


class Peeled(NamedTuple):
    """A line without its wrapper, and what the wrapper said."""

    rest: str
    time: str = ""
    service: str = ""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A wrapper around each line, by who writes it."""

    name: str
    pattern: re.Pattern[str]

    def peel(self, line: str) -> Peeled | None:
        """The line inside, or nothing where the line is not wrapped so."""
        match = self.pattern.match(line)
        if not match:
            return None
        named = match.groupdict()
        return Peeled(line[match.end() :], named.get("time") or "", named.get("service") or "")


ENVELOPES = (
    Envelope("github-actions", re.compile(r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z) ?")),
    Envelope("taskcluster", re.compile(r"\[task (?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z)\] ?")),
    Envelope("cri", re.compile(r"(?P<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (?:stdout|stderr) [FP] ")),
    Envelope("kubectl-prefix", re.compile(r"\[pod/(?P<service>[^/\]]+)/[^\]]+\] ")),
    Envelope("compose", re.compile(r"(?P<service>[\w.-]{1,60}?) +\| ?")),
)


def strip_ansi(line: str) -> str:
    """The line without terminal colours, also where they were copied as visible characters."""
    return _ANSI.sub("", line) if "\x1b" in line or "^[[" in line else line


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of one file are read."""

    name: str
    confidence: float  # share of the sampled lines that are of this format
    read: Callable[[str], Fields]


def detect(lines: Sequence[str]) -> Layout:
    """The layout of a file, from a sample of its lines."""
    sample = [strip_ansi(line) for line in _sample(lines)]
    sample = [line for line in sample if line.strip()]
    envelope, peeled = _unwrap(sample)
    inner = [p.rest for p in peeled if p.rest.strip()]
    table = csv_format(lines) if envelope is None else None
    formats, name, confidence = _formats_of(inner, *([table] if table else []))
    if envelope:
        wrapped = len([p for p in peeled if p.rest is not None]) / max(len(sample), 1)
        confidence = wrapped if name == PLAIN.name else confidence * wrapped
        name = envelope.name if name == PLAIN.name else f"{envelope.name}+{name}"
    return Layout(name, round(confidence, 3), _reader(envelope, formats))


def _sample(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= SAMPLE_LINES:
        return lines
    third = SAMPLE_LINES // 3
    middle = len(lines) // 2
    return [*lines[:third], *lines[middle : middle + third], *lines[-third:]]


def _unwrap(sample: Sequence[str]) -> tuple[Envelope | None, list[Peeled]]:
    for envelope in ENVELOPES:
        peeled = [p for line in sample if (p := envelope.peel(line))]
        if peeled and len(peeled) >= 0.6 * len(sample):
            return envelope, peeled
    return None, [Peeled(line) for line in sample]


def _formats_of(sample: Sequence[str], *own: Format) -> tuple[tuple[Format, ...], str, float]:
    """Formats to try, most frequent first, with the name and share of the leading one; `own` are this file's alone.

    Each line counts for the first format that takes it, but a format that takes nearly all beats one that takes some.
    Lines that begin with white space continue others and do not count.
    """
    known = (*own, *FORMATS)
    heads = [line for line in sample if not line[0].isspace()] or list(sample)
    takes: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for line in heads:
        taken = [f.name for f in known if f.read(line)]
        takes.update(taken)
        first.update(taken[:1])
    best = max(known, key=lambda f: first[f.name] + 0.5 * takes[f.name])
    share = takes[best.name] / max(len(heads), 1)
    tried = tuple(f for f in known if f is best or first[f.name] > _RARE * len(heads))
    tried = (best, *(f for f in tried if f is not best)) if share else ()
    if share < 0.3:
        return tried, PLAIN.name, 1 - sum(first.values()) / max(len(heads), 1)
    return tried, best.name, share


def _reader(envelope: Envelope | None, formats: tuple[Format, ...]) -> Callable[[str], Fields]:
    readers = [f.read for f in formats]

    def read(line: str) -> Fields:
        line = strip_ansi(line)
        peeled = envelope.peel(line) if envelope else None
        rest = peeled.rest if peeled else line
        fields = None
        for reader in readers:
            fields = reader(rest)
            if fields:
                break
        fields = fields or PLAIN.read(rest) or Fields("", "", rest)
        if peeled and (peeled.service or not fields.time):
            return fields._replace(time=fields.time or peeled.time, service=fields.service or peeled.service)
        return fields

    return read
