"""Which node comes next: the pacing decides, from the time that is left. Routers are async: sync ones cost a thread."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from fastagent.budget import now
from fastagent.event import Paced
from fastagent.graph.act import act
from fastagent.graph.conclude import conclude
from fastagent.graph.fused import fused
from fastagent.graph.observe import observe
from fastagent.graph.plan import plan
from fastagent.graph.run import Run
from fastagent.graph.verify import verify
from fastagent.pacing import Decision
from fastagent.state import State

Node = Callable[[State, Runtime[Run]], Awaitable[dict[str, Any]]]
_LOOK_AGAIN = {"cycle": "act", "fused": "act", "verify": "verify", "conclude": "conclude", "stop": END}
_TAKE_IN = {"cycle": "observe", "fused": "fused", "conclude": "conclude", "stop": END}


def build() -> StateGraph[State, Run, State, State]:
    """The graph, not yet compiled."""
    graph = StateGraph(State, context_schema=Run)
    for name, node in (
        ("plan", plan), ("act", act), ("observe", observe), ("fused", fused), ("verify", verify), ("conclude", conclude)
    ):  # fmt: skip
        graph.add_node(name, _timed(name, node))
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", after_plan, {"act": "act", "conclude": "conclude", END: END})
    graph.add_conditional_edges("act", after_calls, sorted({*_TAKE_IN.values(), *_LOOK_AGAIN.values()}))
    graph.add_conditional_edges("observe", after_look, sorted({*_LOOK_AGAIN.values()}))
    graph.add_conditional_edges("fused", after_fused, sorted({*_TAKE_IN.values(), *_LOOK_AGAIN.values()}))
    graph.add_edge("verify", "conclude")
    graph.add_edge("conclude", END)
    return graph


def _timed(name: str, node: Node) -> Any:  # LangGraph's own type for nodes is not public
    """The node, with what it takes beside model and tools charged to us; steps between nodes stay unattributed."""

    @wraps(node)
    async def timed(state: State, runtime: Runtime[Run]) -> dict[str, Any]:
        began = now()
        try:
            return await node(state, runtime)
        finally:
            runtime.context.ledger.add("framework", name, began, now())

    return timed


async def after_plan(state: State, runtime: Runtime[Run]) -> str:
    """To the first look, or where there is no time for one, to the answer."""
    if state["wants"] == "stop":
        return await _after_loss(runtime.context)
    return {"continue": "act", "conclude": "conclude"}[state["wants"]]


async def after_calls(state: State, runtime: Runtime[Run]) -> str:
    """From a look to the assessment of what it brought."""
    if state["wants"] == "stop":
        return await _after_loss(runtime.context)
    if state["wants"] == "conclude":  # nothing was called: there is nothing to take in
        return await after_look(state, runtime)
    return _TAKE_IN[_announce(runtime.context, runtime.context.pacing.after_calls(runtime.context.allowance))]


async def after_look(state: State, runtime: Runtime[Run]) -> str:
    """From an assessment to another look, to verification, or to the answer."""
    run = runtime.context
    if state["wants"] == "stop":
        return await _after_loss(run)
    decision = _announce(run, run.pacing.after_look(run.allowance, state["wants"], state["cycles"]))
    if state["wants"] == "continue" and decision != "cycle" and state["cycles"] < run.pacing.max_cycles:
        run.cut_short = True
    return _LOOK_AGAIN[decision]


async def after_fused(state: State, runtime: Runtime[Run]) -> str:
    """From a fused turn, which has looked already, to its assessment; else as after any assessment."""
    if state["wants"] == "continue" and state["cycles"] < runtime.context.pacing.max_cycles:
        return await after_calls(state, runtime)
    return await after_look({**state, "wants": "conclude" if state["wants"] != "stop" else "stop"}, runtime)


async def _after_loss(run: Run) -> str:
    """A turn was lost. If a limit was the reason, of time or of turns, the reserve still buys an answer."""
    answer_fits = run.allowance.deadline.left_s() > run.pacing.turn_s("conclude")
    limited = run.allowance.search_left_s() <= 0 or "turns" in run.allowance.exhausted
    return "conclude" if answer_fits and limited else END


def _announce(run: Run, decided: tuple[Decision, str]) -> Decision:
    run.emit(Paced(*decided))
    return decided[0]
