"""The fused turn: assessment and the next calls in one answer, when time is short or the model is slow."""

from typing import Any

from langgraph.runtime import Runtime

from fastagent.graph.observe import assess
from fastagent.graph.run import Run
from fastagent.state import State


async def fused(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
    """One assessment with another look in the same answer."""
    update = await assess(runtime.context, state, "fused", look=True)
    looked_again = any(o["tool"] for o in update["observations"])
    wants = update["wants"] if looked_again or update["wants"] == "stop" else "conclude"
    return update | {"wants": wants, "cycles": state.get("cycles", 0) + (1 if looked_again else 0)}
