"""Hypotheses and how far each is believed.

A playbook's signals are independent witnesses: the belief is 1 - Π(1 - weight·trust) over the signals that are seen,
where trust grows with the score of the finding that shows the signal. Signals against it multiply the rest down.
What is alarming and explained by no playbook makes a hypothesis of its own, so that the unknown has a place too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import re2

from wafer_backend.engines.evidence.case import Case, Finding

# A signal that is seen at all is worth half its weight; the rest depends on how telling the finding is.
LEAST_TRUST = 0.5
UNEXPLAINED_SHARE = 0.6  # an alarming finding that no playbook explains convinces less than an explained one
MOST_HYPOTHESES = 5
MEASURED = ("metric.", "trace.", "habit.", "cause.", "log.silent")  # kinds whose entity is who was measured …
SHARED = ("metric.queue",)  # … but for what is between several: a queue is long for who fills and who empties it
OF_ENTITY = (*MEASURED, "log.")
DECISIVE = 0.75  # from this score on a measurement names a cause by itself (docs/reasoner.md)
MOST_FOCI = 4
STANDS_OUT = 0.4  # a candidate from here on is an alarming one by the tools' own account
LEAST_AGREEMENT = 0.5
NEGLIGIBLE = 0.05
WITHOUT_ESSENTIAL = 0.5  # what the playbook is about is not seen
HEALTHY = ".healthy"
NOISE_TO = 0.35  # what was there all along, by its own tool's account, has a lower score


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible explanation with the findings that bear on it."""

    id: str
    statement: str
    belief: float
    playbook: Mapping[str, Any] | None
    supports: tuple[tuple[str, Finding], ...]  # what the finding says in the playbook's words, and the finding
    contradicts: tuple[tuple[str, Finding], ...] = ()

    @property
    def name(self) -> str:
        """What to call it when it is ruled out."""
        return str(self.playbook.get("title")) if self.playbook else self.statement


def hypotheses(case: Case) -> list[Hypothesis]:
    """All hypotheses worth naming, most believed first."""
    explained = [h for h in (_of_playbook(case, p) for p in case.playbooks) if h.belief > NEGLIGIBLE]
    taken = {f.id for h in explained if h.belief >= LEAST_TRUST for _, f in h.supports}
    open_findings = [f for f in case.alarming if f.id not in taken]
    found = explained + [_of_finding(case, i, f) for i, f in enumerate(open_findings[:2], 1)]
    return sorted(found, key=lambda h: (-h.belief, h.id))[:MOST_HYPOTHESES]


def _of_playbook(case: Case, playbook: Mapping[str, Any]) -> Hypothesis:
    """The playbook's explanation, with whichever entity to blame it explains most."""
    weighed = [_blaming(case, playbook, focus) for focus in _foci(case, playbook)]
    return max(weighed, key=lambda h: h.belief)


def _foci(case: Case, playbook: Mapping[str, Any]) -> list[str]:
    """Entities that measurements show as the playbook's kind of culprit; "" where none does."""
    kinds = (playbook.get("component") or {}).get("kinds") or ()
    shown = (
        f.entity for f in case.findings if f.kind.startswith(MEASURED) and any(fnmatchcase(f.kind, k) for k in kinds)
    )
    return list(dict.fromkeys(shown))[:MOST_FOCI] or [""]


def _blaming(case: Case, playbook: Mapping[str, Any], focus: str) -> Hypothesis:
    """The playbook with the evidence about one entity: what others show or log neither helps nor harms it."""
    bearing = [f for f in case.findings if _bears(f, focus)]
    seen_for, seen_against = [], []
    doubt, held = 1.0, 1.0
    essential = True
    for signal in playbook.get("signals", ()):
        finding = next((f for f in bearing if _seen(signal, f)), None)  # findings come strongest first
        if finding is None:
            essential = essential and not signal.get("essential")
            continue
        strength = float(signal["weight"]) * _trust(finding) * finding.weight
        if signal.get("against"):
            seen_against.append((str(signal["says"]), finding))
            held *= 1 - strength
        else:
            seen_for.append((str(signal["says"]), finding))
            doubt *= 1 - strength
    held *= 1.0 if essential else WITHOUT_ESSENTIAL
    belief = round((1 - doubt) * held * _agreement(case, focus), 4)
    ident = str(playbook["id"])
    return Hypothesis(ident, str(playbook["explains"]), belief, playbook, tuple(seen_for), tuple(seen_against))


def _bears(finding: Finding, focus: str) -> bool:
    """Whether a finding is about the entity: its own, one that speaks of it, or one of a kind that is nobody's."""
    kind = finding.kind
    own = not focus or finding.entity in ("", focus) or not kind.startswith(OF_ENTITY) or kind.startswith(SHARED)
    return own or (finding.kind.startswith("log.") and focus in finding.words)


def _trust(finding: Finding) -> float:
    """How far a finding shows its signal, 0 … 1. What was measured shows it as far as it is off; words are said."""
    if finding.kind.startswith(MEASURED):
        return min(1.0, finding.score / DECISIVE)
    if finding.severity == "info" or finding.score < NOISE_TO:  # its own tool does not find it alarming
        return finding.score
    return LEAST_TRUST + (1 - LEAST_TRUST) * finding.score


def _agreement(case: Case, entity: str) -> float:
    """How far the tools' ranking of candidates agrees, 0.5 … 1: it has weighed what the playbook does not look at.

    Where nobody stands out in it, it says nothing.
    """
    best = max(case.candidates.values(), default=0.0)
    if not entity or best < STANDS_OUT:
        return 1.0
    return LEAST_AGREEMENT + (1 - LEAST_AGREEMENT) * case.candidates.get(entity, 0.0) / best


def _of_finding(case: Case, number: int, finding: Finding) -> Hypothesis:
    agreed = _agreement(case, finding.entity) if finding.kind.startswith(OF_ENTITY) else 1.0
    belief = round(UNEXPLAINED_SHARE * finding.score * agreed, 4)
    says = finding.reason or finding.statement
    return Hypothesis(f"open-{number}", finding.statement, belief, None, ((says, finding),))


def _seen(signal: Mapping[str, Any], finding: Finding) -> bool:
    kinds = signal.get("kinds") or ()
    if HEALTHY in finding.kind and not any(HEALTHY in kind for kind in kinds):
        return False  # it names what did not happen, or is over
    if kinds and not any(fnmatchcase(finding.kind, kind) for kind in kinds):
        return False
    pattern = str(signal.get("pattern") or "")
    return not pattern or bool(compiled(pattern).search(finding.words))


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """A pattern from the prompt: linear-time, case ignored; one that does not compile matches nothing."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return re2.compile(r"[^\x00-\x{10FFFF}]")
