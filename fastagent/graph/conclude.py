"""Conclude: the model gives its diagnosis; code holds it to what the evidence knows."""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from fastagent.graph.beliefs import standing
from fastagent.graph.run import Run
from fastagent.graph.turn import take_turn
from fastagent.grounding import is_known, known_entities, onsets, out_of_order
from fastagent.state import CATEGORIES, State


async def conclude(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """The answer's turn. It alone may use the reserve."""
    run = runtime.context
    outcome = await take_turn(run, state, "conclude", submit="submit_diagnosis")
    diagnosis = outcome.submission
    if diagnosis is not None:
        diagnosis, note = _only_known(run, diagnosis, state["incident"].get("services", ()))
        diagnosis, words = _in_known_words(run, diagnosis, state["incident"].get("answer_space") or {})
        diagnosis, order = _held(run, state, diagnosis)
        outcome.notes += [run.note(text) for text in (note, *words, order) if text]
    return outcome.update(run) | {"diagnosis": diagnosis, "wants": "stop"}


def _held(run: Run, state: State, diagnosis: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The diagnosis, as sure as its quotes allow, without a chain that puts an effect before its cause."""
    best = next((h["id"] for h in state.get("hypotheses", [])), "")
    share = standing(best, state.get("evidence", []), state.get("dropped", []))
    held = {**diagnosis, "confidence": diagnosis["confidence"] * share}
    wrong = out_of_order(diagnosis["causal_chain"], onsets(f for o in run.seen for f in o.findings))
    if wrong is None:
        return held, ""
    cause, effect = wrong
    return held | {"causal_chain": []}, f"the model's causal chain begins {effect} with {cause}, which came later"


def _in_known_words(
    run: Run, diagnosis: Mapping[str, Any], space: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """The diagnosis in words that there are: a category, the id of a playbook or a label, a change that was seen."""
    checked, notes = dict(diagnosis), []
    if diagnosis["category"] not in {*CATEGORIES, *(space.get("categories") or ())}:
        checked["category"] = "unknown"
        notes.append(f"the model made up the category {diagnosis['category']!r}")
    if diagnosis["label"] and diagnosis["label"] not in {*(p.id for p in run.playbooks), *(space.get("labels") or ())}:
        checked["label"] = None
        notes.append(f"the model made up the label {diagnosis['label']!r}")
    change = diagnosis["change"]
    if change and change["commit"] != "none" and not is_known(change["commit"], set(), run.seen):
        checked["change"] = None
        notes.append(f"the model blamed the change {change['commit']!r}, which stands nowhere in the evidence")
    return checked, notes


def _only_known(run: Run, diagnosis: Mapping[str, Any], services: Any) -> tuple[dict[str, Any], str]:
    """The diagnosis without entities that nobody has seen."""
    entities = known_entities(run.seen, services)
    ranking = [c for c in diagnosis["ranking"] if is_known(c["component"], entities, run.seen)]
    checked = {**diagnosis, "ranking": ranking}
    component = diagnosis["component"]
    if not component or is_known(component, entities, run.seen):
        return checked, ""
    checked["component"] = ranking[0]["component"] if ranking else ""
    return checked, f"the model blamed {component!r}, which stands nowhere in the evidence"
