"""Questions about a report: when, what changed, why not another, what about a service, what to do, how it is known.

What a report holds is answered from it, with its quotes. Anything else is a new look at the evidence, for which
`continued` makes an incident that knows what was found so far.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastagent.state import Incident

MOST_LINES, MOST_QUOTES = 12, 5
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """Lines in words, and the evidence that they rest on."""

    lines: tuple[str, ...]
    evidence: tuple[Json, ...] = ()


def answer(report: Json, question: str) -> Answered | None:
    """What the report says to the question; None where it says nothing and one must look again."""
    named = _named(report, question)
    if named:
        return _about(report, named)
    asked = next((tell for pattern, tell in _QUESTIONS if re.search(pattern, question, re.IGNORECASE)), None)
    return asked(report) if asked else None


def continued(report: Json | None, question: str, incident: Incident) -> Incident:
    """The incident with the question in front, and what an earlier report found beside it."""
    if report is None:
        return replace(incident, title=question)
    cause = report.get("root_cause") or {}
    found = f"An earlier report says: {cause.get('statement') or 'nothing is wrong'}"
    context = "\n".join(filter(None, (incident.context, f"The incident: {incident.title}", found)))
    return replace(incident, title=question, context=context)


def _named(report: Json, question: str) -> str:
    """A component of the report that the question names, the longest such."""
    known = {str(c.get("component") or "") for c in _list(report.get("ranking"))}
    known |= {str((report.get("root_cause") or {}).get("component") or "")}
    said = question.lower()
    found = [n for n in known if n and re.search(rf"(?<![\w-]){re.escape(n.lower())}(?![\w-])", said)]
    return max(found, key=len, default="")


def _about(report: Json, name: str) -> Answered:
    """Where a component stands among the suspects, and what was seen of it."""
    ranking = _list(report.get("ranking"))
    cause = report.get("root_cause") or {}
    place = next((i for i, c in enumerate(ranking, 1) if c.get("component") == name), None)
    lines = [f"{name} is what the report blames: {cause.get('statement')}"] if cause.get("component") == name else []
    if place and not lines:
        lines.append(
            f"{name} stands at place {place} of {len(ranking)} suspects, score {ranking[place - 1].get('score')}."
        )
        lines.append(f"Blamed is {cause.get('component') or 'nobody'}, confidence {cause.get('confidence')}.")
    seen = [e for e in _list(report.get("evidence")) if name.lower() in f"{e.get('claim')} {e.get('quote')}".lower()]
    lines += [f"Seen of it: {e.get('claim')}" for e in seen[:MOST_QUOTES]] or [
        f"Nothing that was cited speaks of {name}."
    ]
    lines += [str(r) for r in _list_of_words(report.get("ruled_out")) if name.lower() in r.lower()]
    return Answered(tuple(lines), tuple(seen[:MOST_QUOTES]))


def _when(report: Json) -> Answered:
    incident = report.get("incident") or {}
    lines = [f"The earliest alarming sign is of {incident['onset']}."] if incident.get("onset") else []
    lines += [f"The alert says {incident['started_at']}."] if incident.get("started_at") else []
    lines += _list_of_words(report.get("causal_chain"))
    return Answered(tuple(lines or ["No time is known."]), tuple(_list(report.get("evidence"))[:MOST_QUOTES]))


def _changed(report: Json) -> Answered:
    change = report.get("change") or {}
    if not change:
        return Answered(("No change is blamed: none is recorded, or nobody can tell.",))
    if change.get("commit") == "none":
        return Answered((f"None of the recorded changes explains it: {change.get('why')}.",))
    return Answered((f"{change.get('kind')} {change.get('commit')}: {change.get('why')}.",))


def _to_do(report: Json) -> Answered:
    steps = [f"{n}. {line}" for n, s in enumerate(_list(report.get("remediation")), 1) for line in _step(s)]
    return Answered(tuple(steps or ["The report names no step of repair."]))


def _step(step: Json) -> Iterator[str]:
    command = f": {step['command']}" if step.get("command") else ""
    after = f"verify: {step.get('verify')}; back: {step.get('rollback')}"
    yield f"{step.get('action')} (risk {step.get('risk')}){command} — {after}"


def _known(report: Json) -> Answered:
    evidence = _list(report.get("evidence"))[:MOST_QUOTES]
    return Answered(tuple(str(e.get("claim")) for e in evidence) or ("Nothing was cited.",), tuple(evidence))


def _unseen(report: Json) -> Answered:
    gaps = [f"{g.get('source')}: {g.get('reason')}" for g in _list(report.get("gaps"))]
    return Answered(tuple(gaps[:MOST_LINES] or ["Everything that is recorded was read."]))


def _others(report: Json) -> Answered:
    told = [
        f"{h.get('statement')} (belief {h.get('belief')}, {h.get('verdict')})" for h in _list(report.get("hypotheses"))
    ]
    return Answered(tuple([*told, *_list_of_words(report.get("ruled_out"))] or ["Nothing else was weighed."]))


_QUESTIONS: Sequence[tuple[str, Callable[[Json], Answered]]] = (
    (r"\bwhen\b|\bhow long\b|since when|\bbeg[ai]n|\bstart(ed)?\b|\btime ?line\b", _when),
    (r"\bwhat (was )?changed\b|\bchanges?\b|\bdeploy|\bcommit|\brelease|\bflag\b", _changed),
    (r"\bwhat (can|should|do|shall) (i|we)\b|\bfix\b|\brepair|\bremed|\bmitigat|\bnext step|roll ?back", _to_do),
    (r"\bhow do you know\b|\bevidence\b|\bproof?\b|\bprove|\bsure\b|\bquote", _known),
    (r"\bmissing\b|\bnot (see|seen|read|look)|\bgaps?\b|\bblind", _unseen),
    (r"\belse\b|\bother (cause|explanation|hypothes|suspect)|\balternativ|\bruled? out", _others),
)  # fmt: skip


def _list(value: Any) -> list[Json]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []


def _list_of_words(value: Any) -> list[str]:
    return [str(v) for v in value if v] if isinstance(value, list | tuple) else []
