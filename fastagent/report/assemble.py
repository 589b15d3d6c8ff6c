"""From what a run knows to the report: the model's diagnosis where there is one, else the tools' ranked candidates.

Works on any state, however early the run was cut off. Addresses and names are restored here, secrets never; a quote
that holds a secret is cut to the longest piece without it, so that what stands in the report stands in the source.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastagent.grounding import MIN_QUOTE_CHARS, onsets
from fastagent.ledger import Ledger
from fastagent.playbook import Playbook, match
from fastagent.redaction import Redactor, without_secrets
from fastagent.state import (
    Candidate,
    Change,
    Evidence,
    Finding,
    Gap,
    Hypothesis,
    Incident,
    Observation,
    Remediation,
    Report,
    RootCause,
    State,
    Status,
    Verdict,
    as_json,
    from_json,
)

_REQUEST = re.compile(  # somebody wants something shown or answered, where an alert wants a cause
    r"^\s*(?:(?:can|could|would|will) you\b|(?:please\s+)?(?:fetch|show|get|retrieve|list|post|print|find|tell"
    r"|give|search|tail|display|read|check|describe|summari[sz]e)\b)|\?\s*$",
    re.IGNORECASE,
)
CONFIRMED_FROM, LIKELY_FROM = 0.8, 0.5  # confidence
MIN_CONFIRMING = 2  # independent verified quotes that a CONFIRMED needs
PLAYBOOK_FITS_FROM = 0.5  # as in the playbooks' own contract: an example scores above, a look-alike below
MAX_EVIDENCE = 12
UNKNOWN = RootCause("", "unknown", "The evidence that could be read does not show a cause.", 0.0, "INCONCLUSIVE")


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a report is made from."""

    state: State
    seen: Sequence[Observation]
    playbooks: Sequence[Playbook]
    ledger: Ledger
    redactor: Redactor
    answered_by: str
    tier: str
    sla_s: float
    wall_s: float
    gaps: Sequence[Gap] = ()
    modelless: bool = False  # no model was to be asked
    cut_off: bool = False  # the deadline ended the run, or the model was lost


def assemble(facts: Facts) -> Report:
    """The report."""
    diagnosis = facts.state.get("diagnosis")
    report = _diagnosed(facts, diagnosis) if diagnosis else _undiagnosed(facts)
    restored: Report = from_json(Report, facts.redactor.restore_all(as_json(report)))
    return replace(restored, evidence=tuple(e for e in map(_presentable, restored.evidence) if e is not None))


def _common(facts: Facts) -> dict[str, Any]:
    """What every report holds, diagnosis or not."""
    incident = from_json(Incident, facts.state["incident"])
    findings = [f for o in facts.seen for f in o.findings]
    onset = next((time for time, _ in onsets(findings)), "")
    gaps = [*facts.gaps, *(g for o in facts.seen for g in o.gaps)]
    return {
        "answered_by": facts.answered_by,
        "incident": {
            "title": incident.title,
            "started_at": incident.started_at or "",
            "onset": onset,
            "services": list(incident.services),
            "impact": "",
        },
        "hypotheses": tuple(from_json(Hypothesis, h) for h in facts.state.get("hypotheses", [])),
        "gaps": tuple(dict.fromkeys(gaps)),
        "logs": next((o.report["logs"] for o in facts.seen if "logs" in o.report), {}),
        "timing": _timing(facts),
        "usage": _usage(facts.ledger),
        "tier": {"asked": facts.tier, "served": dict(Counter(t.tier for t in facts.ledger.turns))},
        "notes": (
            *facts.state.get("notes", []),
            *(f"not read: {o.left_out}" for o in facts.seen if o.report and o.left_out),
            *dict.fromkeys(f"tool {o.tool}: {o.summary}" for o in facts.seen if not o.ok and o.tool),
        ),
    }


def _diagnosed(facts: Facts, diagnosis: Mapping[str, Any]) -> Report:
    common = _common(facts)
    evidence = _ordered(facts)
    common["gaps"] = tuple(
        dict.fromkeys([*common["gaps"], *(Gap(g["source"], g["reason"]) for g in diagnosis["gaps"])])
    )
    change = diagnosis["change"]
    return Report(
        status=_status(facts, common["gaps"], found=diagnosis["fault_found"]),
        root_cause=_root_cause(diagnosis, evidence, _best(facts)) if _is_told(facts, diagnosis) else None,
        ranking=tuple(Candidate(c["component"], c["score"]) for c in diagnosis["ranking"]),
        evidence=evidence,
        causal_chain=tuple(diagnosis["causal_chain"]),
        ruled_out=tuple(diagnosis["ruled_out"]),
        change=Change(change["kind"], change["commit"], change["why"]) if change else None,
        remediation=tuple(from_json(Remediation, r) for r in diagnosis["remediation"]),
        **common,
    )


def _is_told(facts: Facts, diagnosis: Mapping[str, Any]) -> bool:
    """Whether the cause is given: of a fault always, of good health only where somebody asks for something."""
    return diagnosis["fault_found"] or bool(_REQUEST.search(str(facts.state["incident"].get("title") or "")))


def _status(facts: Facts, gaps: Sequence[Gap], *, found: bool) -> Status:
    """Failed: nothing could be read. Partial: cut short, or nothing was found in what is only a part."""
    looked = [o for o in facts.seen if o.tool != "list_files"]
    if not any(o.examined or any(g.reason == "absent" for g in o.gaps) for o in looked):
        return "failed"
    unread = not found and any(g.reason in ("timeout", "too_large") for g in gaps)
    return "partial" if facts.cut_off or unread else "complete"


def _best(facts: Facts) -> str:
    """The id of the most believed hypothesis."""
    return next((h["id"] for h in facts.state.get("hypotheses", [])), "")


def _root_cause(diagnosis: Mapping[str, Any], evidence: Sequence[Evidence], best: str) -> RootCause:
    confidence = float(diagnosis["confidence"])
    carrying = {str(e.source) for e in evidence if best in e.supports}  # the same place twice is one witness
    return RootCause(
        diagnosis["component"],
        diagnosis["category"],
        _short(diagnosis["statement"]),
        confidence if evidence else 0.0,
        _verdict(confidence, len(carrying), diagnosis["category"]),
        diagnosis["label"],
    )


def _verdict(confidence: float, quotes: int, category: str) -> Verdict:
    """What the confidence is worth, given from how many places verified quotes speak for it."""
    if category == "unknown" or not quotes or confidence < LIKELY_FROM:
        return "INCONCLUSIVE"
    return "CONFIRMED" if confidence >= CONFIRMED_FROM and quotes >= MIN_CONFIRMING else "LIKELY"


def _ordered(facts: Facts) -> tuple[Evidence, ...]:
    """The verified evidence, most telling first: what supports the most believed hypothesis leads."""
    best = _best(facts)
    found = [from_json(Evidence, e) for e in facts.state.get("evidence", [])]
    return tuple(sorted(found, key=lambda e: best not in e.supports)[:MAX_EVIDENCE])


def _undiagnosed(facts: Facts) -> Report:
    """The best answer so far without the model's diagnosis."""
    told = [f for o in facts.seen for f in o.findings]
    findings = [f for f in told if f.severity in ("error", "critical")]
    ranking = _candidates(told) or rank(findings)
    common = _common(facts)
    examined = sum(o.examined for o in facts.seen)
    fitting = [p for p, score in match(facts.playbooks, told) if score >= PLAYBOOK_FITS_FROM]
    whole = facts.modelless and not facts.cut_off and examined
    return Report(
        status="complete" if whole else "partial" if examined or findings else "failed",
        root_cause=None if whole and not findings else _guess(findings, ranking, fitting),
        ranking=ranking,
        evidence=_ordered(facts) or _quoted(findings),
        **common,
    )


def _candidates(findings: Sequence[Finding]) -> tuple[Candidate, ...]:
    """As the tools rank them, if one of them does."""
    ranked = sorted((f for f in findings if f.kind == "candidate" and f.entity), key=lambda f: -f.score)
    return tuple(Candidate(f.entity, f.score) for f in ranked)


def rank(findings: Sequence[Finding]) -> tuple[Candidate, ...]:
    """Entities by their findings: each further finding is another independent witness (noisy-or)."""
    doubt: dict[str, float] = {}
    for finding in findings:
        if finding.entity:
            doubt[finding.entity] = doubt.get(finding.entity, 1.0) * (1 - min(finding.score, 0.99))
    return tuple(Candidate(e, round(1 - d, 4)) for e, d in sorted(doubt.items(), key=lambda pair: (pair[1], pair[0])))


def _guess(findings: Sequence[Finding], ranking: Sequence[Candidate], fitting: Sequence[Playbook]) -> RootCause:
    if not findings:
        return UNKNOWN
    best = max(findings, key=lambda f: f.score)
    component = ranking[0].component if ranking else ""
    if not fitting:
        return RootCause(component, "unknown", _short(best.statement), 0.2, "INCONCLUSIVE")
    playbook = fitting[0]
    blamed = playbook.component.blamed(findings) or component
    statement = _short(f"{blamed}: {playbook.explains} {best.statement}")
    return RootCause(blamed, playbook.category, statement, 0.4, "INCONCLUSIVE", playbook.id)


def _quoted(findings: Sequence[Finding]) -> tuple[Evidence, ...]:
    """The tools' best findings as evidence: their quotes are verbatim by construction."""
    best = sorted((f for f in findings if f.quote), key=lambda f: -f.score)[:5]
    return tuple(Evidence(f"e{i}", f.statement, f.quote, f.source, verified=True) for i, f in enumerate(best, 1))


def _presentable(evidence: Evidence) -> Evidence | None:
    """The evidence with its quote free of secrets' tokens; None where nothing telling is left."""
    quote = without_secrets(evidence.quote)
    return replace(evidence, quote=quote) if len(quote.strip()) >= MIN_QUOTE_CHARS else None


def _short(statement: str) -> str:
    """At most 60 words and 400 characters."""
    text = " ".join(statement.split()[:60])
    return text if len(text) <= 400 else text[:399] + "…"


def _timing(facts: Facts) -> dict[str, Any]:
    ledger, wall_s = facts.ledger, facts.wall_s
    return {
        "sla_s": facts.sla_s,
        "wall_s": round(wall_s, 4),
        "emulated_s": {tier: round(s, 4) for tier, s in ledger.emulated(wall_s).items()},
        "time_to_first_hypothesis_s": ledger.marks.get("first_hypothesis"),
        "by_kind": {kind: round(s, 4) for kind, s in ledger.by_kind(wall_s).items()},
        "turns": ledger.as_json(),
        "efficiency": round(ledger.efficiency(wall_s), 4),
        "overrun_s": round(max(0.0, wall_s - facts.sla_s), 4),
    }


def _usage(ledger: Ledger) -> dict[str, Any]:
    """Tokens of all turns. No price is published for the ultrafast tier, so none is made up."""
    return {
        "model_calls": len(ledger.turns),
        "input_tokens": sum(t.input_tokens for t in ledger.turns),
        "cached_tokens": sum(t.cached_tokens for t in ledger.turns),
        "output_tokens": sum(t.output_tokens for t in ledger.turns),
        "cost_usd": None,
    }
