"""Plan: read what is there before the first turn, then let the model state competing hypotheses."""

import asyncio
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from fastagent.budget import now
from fastagent.event import Paced
from fastagent.graph.beliefs import believe
from fastagent.graph.calls import observe, visible
from fastagent.graph.knowledge import as_data, at_first, ids
from fastagent.graph.run import Run
from fastagent.graph.sweep import sweep
from fastagent.graph.turn import Outcome, take_turn
from fastagent.prompts.context import opening
from fastagent.state import Incident, Observation, State, as_json, from_json

OPENING_SHARE = 0.4  # of the time that is left: reading must leave room for thinking


async def plan(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """Read, then ask for hypotheses and first checks, if there is time for a plan at all."""
    run = runtime.context
    first = Outcome(first_span=len(run.ledger.spans))
    first.observations = await look_first(run)
    first.items = opening_items(run, first.observations)
    shown = {"playbooks": ids(at_first(run, run.scope.incident, first.observations))}
    run.keep_reserve()
    decision, reason = run.pacing.first(run.allowance)
    run.emit(Paced(decision, reason))
    if decision != "cycle":
        run.cut_short = True
        note = run.note(f"no plan: {reason}")
        if decision == "stop":
            first.observations += await sweep(run, first.observations)
        return first.update(run) | shown | {"wants": decision, "cycles": 0, "notes": [note]}
    outcome = await take_turn(run, state, "plan", submit="submit_plan", head=first.items)
    outcome.observations, outcome.first_span = first.observations, first.first_span
    if outcome.failed:
        outcome.items = first.items
        outcome.observations += await sweep(run, first.observations)
        return outcome.update(run) | shown | {"wants": "stop", "cycles": 0}
    run.ledger.mark("first_hypothesis", now())
    return outcome.update(run) | shown | believe(run, outcome.submission, (), ()) | {"wants": "continue", "cycles": 0}


async def look_first(run: Run) -> list[Observation]:
    """Run the tools that declare opening arguments, in parallel, within their share of the time."""
    until = run.allowance.deadline.within(run.allowance.deadline.left_s() * OPENING_SHARE)
    began = now()
    found = await asyncio.gather(
        *(
            observe(run, tool.name, dict(tool.opening), f"{tool.name} {{}}", until)
            for tool in run.tools.values()
            if tool.opening is not None
        )
    )
    run.ledger.add("tool", "opening", began, now())
    return list(found)


def opening_items(run: Run, found: Sequence[Observation]) -> list[dict[str, Any]]:
    """The first items of the conversation: the incident, what was read, the playbooks that may fit. All redacted."""
    incident = from_json(Incident, run.redactor.redact_all(run.scope.incident))
    described = {k: v for k, v in as_json(incident).items() if v and k != "bundle"}
    return opening(described, [visible(o) for o in found], as_data(at_first(run, run.scope.incident, found)))
