"""What a request says about an incident, as plain values: the conversation read once, from front to back.

Nothing here is known from elsewhere. Data of the wrong shape is passed over: a conversation may hold anything.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from wafer_backend.engines import Request
from wafer_backend.engines.evidence.relevance import (
    ASKED_GAIN,
    BESIDE_THE_POINT,
    asked_about,
    is_about,
    is_state,
    looked_into,
)

_DATA = re.compile(r"<data>(.*?)</data>", re.DOTALL)
Json = Mapping[str, Any]
MOST_ABSENT_CHARS = 200
ALARMING = ("error", "critical")
UNREAD = ("unreadable", "timeout", "forbidden")  # of what is too large, the newest part was read


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a tool: see the tool results for what its fields mean."""

    id: str
    kind: str
    statement: str
    quote: str
    entity: str
    severity: str
    time: str
    score: float
    reason: str
    source: str = ""  # the command line or the file that it is from
    weight: float = 1.0  # less for what is beside the point

    @property
    def words(self) -> str:
        """All that patterns look at."""
        return f"{self.statement}\n{self.quote}"


@dataclass(frozen=True)
class Case:
    """The incident as the conversation tells it."""

    incident: Json
    playbooks: Sequence[Json]
    observations: Sequence[Json]
    calls: Sequence[tuple[str, Json]] = ()  # every tool call so far: name, arguments
    cited: frozenset[str] = frozenset()  # quotes that earlier assessments have brought
    survived: frozenset[str] | None = field(default=None)  # claims that were found verbatim, once that was checked

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, strongest first; the same quote counts once, wherever it was seen."""
        found: dict[tuple[str, str], Finding] = {}
        for observation in self.observations:
            for raw in _list(observation.get("findings")):
                finding = _finding(raw)
                key = (finding.kind, finding.quote or finding.statement)
                if key not in found or finding.score > found[key].score:
                    found[key] = finding
        return tuple(sorted(self._focused(found.values()), key=lambda f: (-f.score, f.id)))

    def _focused(self, findings: Iterable[Finding]) -> list[Finding]:
        """Where objects were asked about and something is known of them, the state of strangers counts less."""
        known = list(findings)
        names = asked_about(self.incident) or looked_into(self.recorded)
        about = [f for f in known if f.severity != "info" and is_about(names, f.entity, f.source)]
        said = "\n".join(f.words for f in about).lower()
        if not about:
            return known
        return [
            replace(f, score=f.score + ASKED_GAIN * (1 - f.score))
            if f in about
            else replace(f, score=f.score * BESIDE_THE_POINT, weight=BESIDE_THE_POINT)
            if is_state(f.kind) and f.entity.lower() not in said
            else f
            for f in known
        ]

    @cached_property
    def alarming(self) -> tuple[Finding, ...]:
        """Findings that say that something failed."""
        return tuple(f for f in self.findings if f.severity in ALARMING)

    @cached_property
    def candidates(self) -> dict[str, float]:
        """Entities as the tools rank them, with their scores."""
        return {f.entity: f.score for f in self.findings if f.kind == "candidate"}

    @cached_property
    def examined(self) -> int:
        """How much was read at all: lines, rows, objects."""
        return sum(int(o.get("examined") or 0) for o in self.observations if o.get("tool") != "list_files")

    @cached_property
    def reaches(self) -> bool:
        """Whether anything that was read reaches the time of the incident, as far as the tools can tell."""
        read = [o for o in self.observations if o.get("examined") and o.get("tool") != "list_files"]
        return any(not any(_finding(f).kind.startswith("coverage.") for f in _list(o.get("findings"))) for o in read)

    @cached_property
    def recorded(self) -> tuple[str, ...]:
        """The recorded command lines that a listing has shown."""
        text = "\n".join(str(o.get("text", "")) for o in self.observations if o.get("tool") == "list_files")
        return tuple(m.group(1) for m in re.finditer(r"(?m)^command: (.+)$", text))

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """What was asked for and is not there, in the tools' words."""
        return tuple(
            str(o.get("summary"))[:MOST_ABSENT_CHARS]
            for o in self.observations
            if o.get("gaps") and not o.get("findings") and o.get("tool") == "read_command"
        )

    @cached_property
    def calm(self) -> tuple[str, ...]:
        """What was read and shows no fault, in the tools' words; what was asked about first, and what says most."""
        names = asked_about(self.incident)
        read = [o for o in self.observations if o.get("examined") and o.get("tool") != "list_files"]
        said = dict.fromkeys(str(o.get("summary") or "") for o in read if not _alarms(o))
        return tuple(sorted(said, key=lambda s: (not is_about(names, s.lower(), s.lower()), "mostly:" not in s)))

    @cached_property
    def gaps(self) -> tuple[Json, ...]:
        """What could not be looked at."""
        return tuple(g for o in self.observations for g in _list(o.get("gaps")) if isinstance(g, dict))

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """What is there and could not be read: a fault may stand in it."""
        return tuple(dict.fromkeys(str(g.get("source")) for g in self.gaps if g.get("reason") in UNREAD))

    def done(self, tool: str, arguments: Json) -> bool:
        """Whether this very call was made before."""
        return any(name == tool and dict(args) == dict(arguments) for name, args in self.calls)


def _alarms(observation: Json) -> bool:
    return any(_finding(f).severity in ALARMING for f in _list(observation.get("findings")))


def read(request: Request) -> Case | None:
    """The case in a conversation, or None where the conversation is about something else."""
    opening: Json | None = None
    further: list[Any] = []
    observations: list[Json] = []
    calls: list[tuple[str, Json]] = []
    cited: set[str] = set()
    survived: frozenset[str] | None = None
    for message in request.messages:
        if message.role == "user":
            for document in _documents(message.text):
                if isinstance(document, dict) and "incident" in document and "playbooks" in document:
                    opening = document
                elif isinstance(document, dict) and "playbooks" in document:
                    further += _list(document["playbooks"])
                elif isinstance(document, list):
                    survived = frozenset(str(e.get("claim")) for e in document if isinstance(e, dict))
        elif message.role == "tool":
            observations += [o for o in [_json(message.text)] if isinstance(o, dict) and "examined" in o]
        for call in message.calls:
            arguments = _json(call.arguments)
            if isinstance(arguments, dict):
                calls.append((call.name, arguments))
                cited |= {str(e.get("quote")) for e in _list(arguments.get("evidence")) if isinstance(e, dict)}
    if opening is None:
        return None
    first = [o for o in _list(opening.get("observations")) if isinstance(o, dict)]
    playbooks = [p for p in [*_list(opening.get("playbooks")), *further] if isinstance(p, dict)]
    incident = opening.get("incident")
    return Case(
        incident if isinstance(incident, dict) else {},
        playbooks,
        [*first, *observations],
        calls,
        frozenset(cited),
        survived,
    )


def _documents(text: str) -> Iterator[Any]:
    for match in _DATA.finditer(text):
        yield _json(match.group(1))


@lru_cache(maxsize=256)
def _json(text: str) -> Any:
    """JSON, or None. Cached: each turn reads the whole conversation again. Nobody may change what it returns."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _finding(raw: Any) -> Finding:
    value = raw if isinstance(raw, dict) else {}
    text = {
        k: str(value.get(k) or "") for k in ("id", "kind", "statement", "quote", "entity", "severity", "time", "reason")
    }
    score = value.get("score")
    source = value.get("source")
    text["source"] = " ".join(map(str, source.values())) if isinstance(source, dict) else ""
    known = min(1.0, max(0.0, float(score))) if isinstance(score, int | float) else 0.0
    return Finding(score=known, weight=1.0, **text)
