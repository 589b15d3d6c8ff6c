"""Act: the model calls evidence tools, several at once; each starts the moment its arguments are closed."""

from typing import Any

from langgraph.runtime import Runtime

from fastagent.graph.run import Run
from fastagent.graph.turn import take_turn
from fastagent.state import State


async def act(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """One look. No calls at all count as the wish to conclude."""
    run = runtime.context
    outcome = await take_turn(run, state, "act", look=True)
    wants = "stop" if outcome.failed else "continue" if outcome.observations else "conclude"
    return outcome.update(run) | {"wants": wants, "cycles": state.get("cycles", 0) + 1}
