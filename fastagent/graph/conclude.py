"""Conclude: the model gives its diagnosis; code holds it to what the evidence knows."""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from fastagent.graph.run import Run
from fastagent.graph.turn import take_turn
from fastagent.grounding import is_known, known_entities
from fastagent.state import State


async def conclude(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """The answer's turn. It alone may use the reserve."""
    run = runtime.context
    outcome = await take_turn(run, state, "conclude", submit="submit_diagnosis")
    diagnosis = outcome.submission
    if diagnosis is not None:
        diagnosis, note = _only_known(run, diagnosis, state["incident"].get("services", ()))
        if note:
            outcome.notes.append(run.note(note))
    return outcome.update(run) | {"diagnosis": diagnosis, "wants": "stop"}


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
