"""From what the model submitted to hypotheses and grounded evidence."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastagent.event import Believed, EvidenceFound
from fastagent.graph.run import Run
from fastagent.grounding import locate
from fastagent.state import Evidence, Hypothesis, as_json

SUPPORTED_FROM = 0.7  # belief from which a hypothesis counts as supported …
CONTRADICTED_TO = 0.1  # … and up to which as contradicted; between them it is open


def believe(run: Run, submission: Mapping[str, Any] | None) -> dict[str, Any]:
    """The hypotheses of a submission as a state update, best first; nothing where there is no submission."""
    if submission is None:
        return {}
    hypotheses = sorted(map(_hypothesis, submission["hypotheses"]), key=lambda h: -h.belief)
    run.emit(Believed(tuple(hypotheses)))
    return {"hypotheses": [as_json(h) for h in hypotheses]}


def _hypothesis(value: Mapping[str, Any]) -> Hypothesis:
    belief = float(value["belief"])
    verdict = "supported" if belief >= SUPPORTED_FROM else "contradicted" if belief <= CONTRADICTED_TO else "open"
    return Hypothesis(value["id"], value["statement"], belief, verdict, value["playbook"])  # type: ignore[arg-type]


def ground(
    run: Run, submission: Mapping[str, Any] | None, known: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], int]:
    """All evidence so far with what is new and stands verbatim in an observation, and how many claims were dropped."""
    kept = [dict(e) for e in known]
    quotes = {e["quote"] for e in kept}
    dropped = 0
    for claim in (submission or {}).get("evidence", ()):
        if claim["quote"] in quotes:
            continue
        source = locate(claim["quote"], run.seen, claim["observation"])
        if source is None:
            dropped += 1
            continue
        evidence = Evidence(
            id=f"e{len(kept) + 1}",
            claim=claim["claim"],
            quote=claim["quote"],
            source=source,
            supports=tuple(claim["supports"]),
            contradicts=tuple(claim["contradicts"]),
            verified=True,
        )
        quotes.add(claim["quote"])
        kept.append(as_json(evidence))
        run.emit(EvidenceFound(evidence))
    return kept, dropped
