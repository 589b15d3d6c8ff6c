"""Observe: the model says what the results show, with quotes, and weighs its hypotheses anew."""

from typing import Any

from langgraph.runtime import Runtime

from fastagent.graph.beliefs import believe, ground
from fastagent.graph.knowledge import ids, later, told
from fastagent.graph.run import Run
from fastagent.graph.turn import take_turn
from fastagent.state import State


async def observe(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """One assessment of everything that came back."""
    return await assess(runtime.context, state, "observe", look=False)


async def assess(run: Run, state: State, node: str, *, look: bool) -> dict[str, Any]:
    """A turn that submits an assessment and, with `look`, the next evidence calls too."""
    further = later(run, state)
    outcome = await take_turn(run, state, node, submit="submit_assessment", look=look, extra=told(further))
    evidence, dropped = ground(run, outcome.submission, state.get("evidence", []))
    if dropped:
        outcome.notes.append(run.note(f"{len(dropped)} claims dropped: their quotes stand in no tool's output"))
    wants = "stop" if outcome.failed else (outcome.submission or {}).get("next", "conclude")
    learnt = {"playbooks": ids(further) if not outcome.failed else []}
    beliefs = believe(run, outcome.submission, evidence, [*state.get("dropped", []), *dropped])
    return outcome.update(run) | learnt | beliefs | {"evidence": evidence, "dropped": dropped, "wants": wants}
