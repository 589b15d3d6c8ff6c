"""The submissions in words: plan, assessment, diagnosis, each as its schema in the request asks."""

from collections.abc import Sequence
from typing import Any

from wafer_backend.engines.evidence.blame import (
    category,
    change,
    component,
    culprit,
    is_unnamed,
    label,
    nothing_wrong,
    playbook_label,
    ranking,
)
from wafer_backend.engines.evidence.case import ALARMING, Case, Finding
from wafer_backend.engines.evidence.looks import Look
from wafer_backend.engines.evidence.weigh import Hypothesis
from wafer_backend.engines.evidence.wording import fitting

BELIEVED_FROM = 0.3  # below this a cause is not named: a wrong one is worse than none
ALARM_FROM = 0.35  # an alarming finding below this score is noise by its own tool's account
RULED_OUT_TO = 0.3
MOST_SURE = 0.99
UNNAMED = 0.7  # the failure shows and who brings it about does not: one step of the verdict less sure
MOST_EVIDENCE = 8
MOST_UNREAD = 3
MIN_QUOTE_CHARS = 6
LEAST_WARNING = 0.2  # a warning below this is what systems say on good days

Submission = dict[str, Any]


def plan(case: Case, believed: Sequence[Hypothesis], looks: Sequence[Look]) -> Submission:
    """Hypotheses with their priors, and the checks that would separate them."""
    stated = [_stated(h) for h in believed] or [
        {"id": "open", "statement": "The cause is not visible yet.", "playbook": None, "belief": 0.1}
    ]
    return {"hypotheses": stated, "checks": [{"tool": tool, "why": _why(case, tool)} for tool, _ in looks[:4]]}


def assessment(case: Case, believed: Sequence[Hypothesis], looks: Sequence[Look]) -> Submission:
    """New evidence, beliefs weighed anew, and whether to go on."""
    evidence = _evidence(case, believed)
    top = believed[0].belief if believed else 0.0
    go_on = bool(looks)
    reason = (
        f"{len(looks)} recorded sources could still change it"
        if go_on
        else f"nothing that is recorded is left unread that bears on it; the best explanation stands at {top:.2f}"
    )
    return {
        "evidence": evidence,
        "hypotheses": [_stated(h) for h in believed],
        "next": "continue" if go_on else "conclude",
        "reason": reason,
    }


def diagnosis(case: Case, believed: Sequence[Hypothesis]) -> Submission:
    """The final answer: a cause, "nothing is wrong", or "unknown"."""
    weighed = ranking(case, believed)
    top = believed[0] if believed else None
    submission = _nothing(case, weighed)
    if top is not None and top.belief >= BELIEVED_FROM and case.examined:
        submission |= _cause(case, top, believed)
    elif (healthy := nothing_wrong(case)) and _is_calm(case):
        submission |= {
            "fault_found": False,
            "category": healthy,
            "statement": fitting(
                f"No fault found, no error in {case.examined} lines and rows that were read", case.calm
            ),
            "confidence": 0.7,
        }
    return submission


def _is_calm(case: Case) -> bool:
    """Whether what was read is of the incident's time, is all that could be, and alarms nobody."""
    return case.reaches and not case.unread and not [f for f in case.alarming if f.score >= ALARM_FROM]


def _nothing(case: Case, weighed: Sequence[tuple[str, float]]) -> Submission:
    """An answer that names no cause."""
    why = "Nothing could be read" if not case.examined else "What was read does not show a cause"
    if case.examined and not case.reaches:
        why = "What was read ends before the incident began"
    elif case.examined and case.unread:
        why = f"{why}, and this could not be read: {', '.join(case.unread[:MOST_UNREAD])}"
    if case.absent and not case.alarming:
        why = (
            f"What was looked for was not found: {case.absent[0]}" if not case.examined else f"{why}: {case.absent[0]}"
        )
    return {
        "fault_found": True,
        "component": "",
        "category": "unknown",
        "label": None,
        "statement": f"Unknown. {why}.",
        "confidence": 0.0,
        "ranking": [{"component": e, "score": s} for e, s in weighed],
        "causal_chain": [],
        "ruled_out": [],
        "gaps": [{"source": str(g.get("source")), "reason": g.get("reason") or "absent"} for g in case.gaps],
        "change": change(case),
        "remediation": [],
    }


def _cause(case: Case, top: Hypothesis, believed: Sequence[Hypothesis]) -> Submission:
    blamed = component(top)
    return {
        "component": blamed,
        "category": category(case, top),
        "label": label(case, top),
        "statement": _statement(case, blamed, top),
        "confidence": round(min(top.belief, MOST_SURE) * (UNNAMED if is_unnamed(top) else 1.0), 2),
        "causal_chain": _chain(top),
        "ruled_out": [f"{h.name}: {_against(h)}" for h in believed[1:] if h.belief <= RULED_OUT_TO],
        "remediation": _remediation(top),
    }


def _statement(case: Case, blamed: str, top: Hypothesis) -> str:
    """The explanation, then the findings that carry it, then what else is wrong with the same, as many as fit."""
    opening = top.name if not blamed or blamed in top.name else f"{blamed}: {top.name}"
    strongest = sorted((f for _, f in top.supports), key=lambda f: (f.entity != blamed, -f.score))  # who did it first
    beside = [f for f in case.findings if _worth_saying(f) and f not in strongest and _same(f, strongest)]
    said = [f.statement for f in [*strongest, *sorted(beside, key=lambda f: f.severity not in ALARMING)]]
    return fitting(opening, said)


def _worth_saying(finding: Finding) -> bool:
    least = ALARM_FROM if finding.severity in ALARMING else LEAST_WARNING
    return finding.severity in (*ALARMING, "warning") and finding.score >= least


def _same(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether a finding is about the same entity as one of the others, or from the same output of a command.

    What a search brought was asked for: it may be noise that was there all along.
    """
    return not finding.reason.startswith("matches the pattern") and any(
        finding.entity == o.entity if finding.entity else finding.source == o.source for o in others
    )


def _chain(top: Hypothesis) -> list[str]:
    """The supporting findings in order of time; those without a time keep their place before the dated ones."""
    findings = list(dict.fromkeys(f for _, f in top.supports))
    ordered = sorted(findings, key=lambda f: f.time)
    return [f"{f.time} {f.statement}".strip() for f in ordered]


def _against(hypothesis: Hypothesis) -> str:
    if hypothesis.contradicts:
        return hypothesis.contradicts[0][0]
    return f"too little speaks for it ({hypothesis.belief:.2f})"


def _remediation(top: Hypothesis) -> list[dict[str, Any]]:
    """The playbook's steps. Its placeholder is filled in only with a culprit that the evidence names: a command
    against whoever merely complains would do harm.
    """
    rule = (top.playbook or {}).get("component") or {}
    placeholder, blamed = str(rule.get("placeholder") or "<component>"), culprit(top)
    steps = []
    for step in (top.playbook or {}).get("remediation", ()):
        filled = {k: v.replace(placeholder, blamed) if isinstance(v, str) and blamed else v for k, v in step.items()}
        steps.append({**filled, "command": filled.get("command"), "playbook": playbook_label(top)})
    return steps


def _evidence(case: Case, believed: Sequence[Hypothesis]) -> list[dict[str, Any]]:
    """What bears on the hypotheses and has not been cited yet, the leading hypothesis first."""
    items: dict[str, dict[str, Any]] = {}
    for hypothesis in believed:
        for side, pairs in (("supports", hypothesis.supports), ("contradicts", hypothesis.contradicts)):
            for says, finding in pairs:
                if _quotable(case, finding):
                    item = items.setdefault(finding.quote, _item(says, finding))
                    _add(item, finding, side, hypothesis.id)
    return list(items.values())[:MOST_EVIDENCE]


def _add(item: dict[str, Any], finding: Finding, side: str, hypothesis: str) -> None:
    """What else the same quote shows, and for whom it speaks."""
    statement = finding.statement.rstrip(".")
    if statement not in item["claim"]:
        item["claim"] = f"{statement}; {item['claim']}"
    if hypothesis not in item[side]:
        item[side].append(hypothesis)


def _quotable(case: Case, finding: Finding) -> bool:
    return len(finding.quote.strip()) >= MIN_QUOTE_CHARS and finding.quote not in case.cited


def _item(says: str, finding: Finding) -> dict[str, Any]:
    return {
        "claim": f"{finding.statement.rstrip('.')}: {says}",
        "quote": finding.quote,
        "observation": finding.id,
        "supports": [],
        "contradicts": [],
    }


def _stated(hypothesis: Hypothesis) -> dict[str, Any]:
    return {
        "id": hypothesis.id,
        "statement": hypothesis.statement,
        "playbook": playbook_label(hypothesis),
        "belief": min(1.0, hypothesis.belief),
    }


def _why(case: Case, tool: str) -> str:
    for playbook in case.playbooks:
        for check in playbook.get("checks", ()):
            if check.get("tool") == tool:
                return str(check["why"])
    return "it is recorded and has not been read"
