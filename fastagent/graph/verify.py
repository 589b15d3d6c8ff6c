"""Verify: code has dropped what was not found verbatim and puts the first signs in order; the model weighs again."""

from typing import Any

from langgraph.runtime import Runtime

from fastagent.graph.beliefs import believe, ground
from fastagent.graph.run import Run
from fastagent.graph.turn import take_turn
from fastagent.grounding import onsets
from fastagent.prompts.context import data
from fastagent.state import State


async def verify(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """One re-weighing of the surviving evidence."""
    run = runtime.context
    survived = [{k: e[k] for k in ("id", "claim", "supports", "contradicts")} for e in state.get("evidence", [])]
    order = [{"time": time, "entity": entity} for time, entity in onsets(f for o in run.seen for f in o.findings)]
    extra = f"Evidence that survived: {data(survived)}\nFirst signs, in the order of time: {data({'onsets': order})}\n"
    outcome = await take_turn(run, state, "verify", submit="submit_assessment", extra=extra)
    evidence, dropped = ground(run, outcome.submission, state.get("evidence", []))
    beliefs = believe(run, outcome.submission, evidence, [*state.get("dropped", []), *dropped])
    return outcome.update(run) | beliefs | {"evidence": evidence, "dropped": dropped, "wants": "conclude"}
