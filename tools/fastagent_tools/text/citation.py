"""Where a finding's words stand in the text it was read from: the quote, and the line or the command."""

from dataclasses import dataclass, replace
from functools import lru_cache

from fastagent.state import Finding, Severity, Source
from fastagent_tools.text.fields import escaped
from fastagent_tools.text.quote import MAX_CHARS, quote, shorten

MAX_STATEMENT = 320


@dataclass(frozen=True, slots=True)
class Original:
    """A text that findings quote verbatim: the output of a command, or a file below the bundle."""

    text: str
    command: str | None = None
    file: str | None = None

    def cite(self, *needles: str, after: str = "") -> tuple[str, Source]:
        """The line with the first needle that is found, first behind `after`; nothing where none is."""
        start = max(self._find(after, 0), 0) if after else 0
        for needle in needles:
            if not needle.strip():
                continue
            at = self._find(needle, start)
            at = at if at >= 0 else self._find(needle, 0)
            if at >= 0:
                return self._line(at), self._source(at)
        return "", Source(command=self.command, file=self.file)

    def finding(
        self, kind: str, statement: str, severity: Severity, score: float, reason: str, *,
        entity: str = "", needles: tuple[str, ...] = (), after: str = "", time: str | None = None,
    ) -> Finding:  # fmt: skip
        """A finding that quotes this text."""
        cited, source = self.cite(*needles, after=after)
        return Finding(
            kind=kind,
            statement=shorten(statement, MAX_STATEMENT),
            severity=severity,
            entity=entity,
            time=time or None,
            quote=cited,
            source=source,
            score=round(min(max(score, 0.0), 1.0), 3),
            reason=reason,
        )

    def _find(self, needle: str, start: int) -> int:
        """The needle's place, as it is or as JSON writes it; its beginning will do, since long texts are folded."""
        return _find(self.text, needle, start)

    def _line(self, at: int) -> str:
        begin = self.text.rfind("\n", 0, at) + 1
        end = self.text.find("\n", at)
        line = self.text[begin : end if end >= 0 else len(self.text)]
        if len(line.strip()) > MAX_CHARS:  # a long line: from a little before the needle, from a word's beginning
            near = max(at - begin - 60, 0)
            line = line[near : near + MAX_CHARS]
        return quote(line)

    def _source(self, at: int) -> Source:
        line = self.text.count("\n", 0, at) + 1 if self.file else None
        return Source(file=self.file, line=line, command=self.command)


@lru_cache(maxsize=4_096)  # what is not there is asked for again and again, and costs most
def _find(text: str, needle: str, start: int) -> int:
    for form in dict.fromkeys((needle, escaped(needle), needle[:40])):
        at = text.find(form, start)
        if at >= 0:
            return at
    return -1


def merged(found: list[Finding]) -> list[Finding]:
    """One finding for each kind, entity and reason, the most telling; how many more there are is added to its words."""
    best: dict[tuple[str, str, str], Finding] = {}
    more: dict[tuple[str, str, str], int] = {}
    for finding in sorted(found, key=lambda f: -f.score):
        key = (finding.kind, finding.entity, finding.reason)
        kept = best.setdefault(key, finding)
        if kept is not finding and kept.statement != finding.statement:
            more[key] = more.get(key, 0) + 1
    return [replace(f, statement=_with_more(f.statement, more.get(key, 0))) for key, f in best.items()]


def _with_more(statement: str, more: int) -> str:
    return f"{statement} (and {more} more like it)" if more else statement
