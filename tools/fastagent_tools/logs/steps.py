"""Of a CI log: which command ended the job, and what it said last. What failed is often only told by its name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastagent.state import Finding, Source
from fastagent_tools.logs.corpus import Corpus, LogFile
from fastagent_tools.logs.layout import strip_ansi
from fastagent_tools.text.quote import quote, shorten

_STAMP = re.compile(r"^\S*\d{4}-\d\d-\d\dT[\d:.]+Z?\s+")
_ENDED = re.compile(
    r"Process completed with exit code (\d+)|Job failed: exit code (\d+)|script returned exit code (\d+)"
    r"|exited with (?:status|code) (\d+)|Command failed with exit code (\d+)"
)
_BEGINS = re.compile(r"^(?:##\[group\]Run |\$ |\+ (?=[a-z./~][\w./-]* ))(\S.*)")  # GitHub, GitLab, sh -x
_HOOK_FAILED = re.compile(r"^(.{3,90}?)\.{3,}.*Failed$")
_HOOK_ID = re.compile(r"^- hook id: (\S+)")
_FRAME = re.compile(r"[│┃|┌├└─┐┤┘+=*_-]{2,}|[│┃|]")
_NOISE = re.compile(
    r"^(##\[|shell: |env:$|\S+: /\S+$|\[command\])|^\W*$|orphan process|post job cleanup", re.IGNORECASE
)
MOST_BACK = 4_000  # lines before the end of the job in which its last command is looked for
TAIL, MOST_CHARS, LEAST_CHARS = 14, 240, 8
STEP_SCORE, HOOK_SCORE = 0.5, 0.66  # where it ended is the place, a hook that failed is nearly the cause


@dataclass(frozen=True, slots=True)
class _Line:
    at: int  # index in the file
    text: str


def failing_steps(corpus: Corpus) -> tuple[Finding, ...]:
    """The command of each job that ended it, and hooks that failed in it."""
    return tuple(found for file in corpus.files for found in (*_steps(file), *_hooks(file)))


def _steps(file: LogFile) -> Iterator[Finding]:
    end = _last(file.lines, _ENDED)
    if end is None:
        return
    before = range(end.at - 1, max(-1, end.at - MOST_BACK), -1)
    begin = next((_Line(i, m[1]) for i in before if (m := _BEGINS.match(_plain(file.lines[i])))), None)
    if begin is None:
        return
    said = " ".join(_tail(file.lines[begin.at + 1 : end.at]))
    code = next(filter(None, _ENDED.search(end.text).groups()), "")  # type: ignore[union-attr]  # `end` matched it
    says = f"the step `{shorten(begin.text, 100)}` ended with exit code {code}"
    says += f", saying: {shorten(said, MOST_CHARS)}" if said else ""
    yield _finding("ci.step", says, file, begin.at, STEP_SCORE, "the command that ended the job")


def _hooks(file: LogFile) -> Iterator[Finding]:
    for at, line in enumerate(file.lines):
        if "hook id" in line and (named := _HOOK_ID.match(_plain(line))):
            title = _HOOK_FAILED.match(_plain(file.lines[at - 1])) if at else None
            if title:
                says = f"the hook {named[1]} ({title[1]}) failed"
                yield _finding("ci.hook", says, file, at, HOOK_SCORE, "a check of the job that failed")


def _last(lines: Sequence[str], pattern: re.Pattern[str]) -> _Line | None:
    found = ((at, lines[at]) for at in range(len(lines) - 1, -1, -1) if "exit" in lines[at])
    return next((_Line(at, line) for at, line in found if pattern.search(line)), None)


def _tail(lines: Sequence[str]) -> list[str]:
    """What was said last, frames of tables taken off; each line once."""
    told = (" ".join(_FRAME.sub(" ", _plain(line)).split()) for line in lines[-TAIL:])
    return list(dict.fromkeys(t for t in told if len(t) >= LEAST_CHARS and not _NOISE.search(t)))


def _plain(line: str) -> str:
    return _STAMP.sub("", strip_ansi(line)).strip()


def _finding(kind: str, says: str, file: LogFile, at: int, score: float, reason: str) -> Finding:
    return Finding(
        kind=kind,
        statement=says,
        severity="error",
        entity=file.service,
        quote=quote(file.raw(file.first + at)),
        source=Source(file=file.path, line=file.number(file.first + at)),
        score=score,
        reason=reason,
    )
