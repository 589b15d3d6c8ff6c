"""From what the model submitted to hypotheses and grounded evidence."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastagent.event import Believed, EvidenceFound
from fastagent.graph.run import Run
from fastagent.grounding import locate
from fastagent.state import Evidence, Hypothesis, Source, as_json

Dropped = Sequence[Sequence[str]]  # of each dropped claim, the ids of the hypotheses that it was to support

SUPPORTED_FROM = 0.7  # belief from which a hypothesis counts as supported …
CONTRADICTED_TO = 0.1  # … and up to which as contradicted; between them it is open


def believe(
    run: Run, submission: Mapping[str, Any] | None, evidence: Sequence[Mapping[str, Any]], dropped: Dropped
) -> dict[str, Any]:
    """The hypotheses of a submission as a state update, best first; nothing where there is no submission.

    A belief rests on its quotes: it is worth the share of them that stand.
    """
    if submission is None:
        return {}
    told = (_hypothesis(h, standing(h["id"], evidence, dropped)) for h in submission["hypotheses"])
    hypotheses = sorted(told, key=lambda h: -h.belief)
    run.emit(Believed(tuple(hypotheses)))
    return {"hypotheses": [as_json(h) for h in hypotheses]}


def standing(hypothesis: str, evidence: Sequence[Mapping[str, Any]], dropped: Dropped) -> float:
    """Which share of the claims made for a hypothesis was found verbatim, 0 … 1; 1 where none was made."""
    stand = sum(hypothesis in e["supports"] for e in evidence)
    fallen = sum(hypothesis in supports for supports in dropped)
    return stand / (stand + fallen) if fallen else 1.0


def _hypothesis(value: Mapping[str, Any], share: float) -> Hypothesis:
    belief = round(float(value["belief"]) * share, 4)
    verdict = "supported" if belief >= SUPPORTED_FROM else "contradicted" if belief <= CONTRADICTED_TO else "open"
    return Hypothesis(value["id"], value["statement"], belief, verdict, value["playbook"])  # type: ignore[arg-type]


def ground(
    run: Run, submission: Mapping[str, Any] | None, known: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """All evidence so far with what is new and stands verbatim in an observation; and of each claim that was dropped,
    the hypotheses that it was to support.
    """
    kept = [dict(e) for e in known]
    quotes = {e["quote"] for e in kept}
    dropped = []
    for claim in (submission or {}).get("evidence", ()):
        if claim["quote"] in quotes:
            continue
        source = locate(claim["quote"], run.seen, claim["observation"])
        if source is None and run.verifies:
            dropped.append(list(claim["supports"]))
            continue
        evidence = _evidence(f"e{len(kept) + 1}", claim, source or Source(), verified=source is not None)
        quotes.add(claim["quote"])
        kept.append(as_json(evidence))
        run.emit(EvidenceFound(evidence))
    return kept, dropped


def _evidence(ident: str, claim: Mapping[str, Any], source: Source, *, verified: bool) -> Evidence:
    return Evidence(
        id=ident,
        claim=claim["claim"],
        quote=claim["quote"],
        source=source,
        supports=tuple(claim["supports"]),
        contradicts=tuple(claim["contradicts"]),
        verified=verified,
    )
