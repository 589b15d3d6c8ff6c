"""One turn: ask the model, start its tool calls while it still streams, take in what comes back.

Every node is a turn with other words and other tools allowed; the tool list and the head of the prompt never change,
so that prefix caches hit. What is volatile goes last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from fastagent.budget import Deadline, now
from fastagent.errors import BudgetError, DeadlineExceeded, ModelError, ModelUnavailable
from fastagent.event import TurnEnded, TurnStarted
from fastagent.graph.calls import Calls, output_item
from fastagent.graph.run import Run
from fastagent.ledger import Turn
from fastagent.model.exchange import Ask, Reply, ToolCall
from fastagent.model.retry import with_retries
from fastagent.prompts.context import turn_message
from fastagent.prompts.schemas import problem
from fastagent.state import Observation, State, as_json

OUTPUT_CAPS = {
    "plan": 1_500,
    "act": 1_000,
    "observe": 3_000,
    "fused": 4_000,
    "verify": 3_000,
    "conclude": 3_000,
}  # tokens


@dataclass(slots=True)
class Outcome:
    """What a turn brought: the submission if it was valid, observations, and the items to append."""

    submission: dict[str, Any] | None = None
    observations: list[Observation] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: bool = False  # the model could not be reached or its time was over
    first_turn: int = 0  # where this outcome's records begin in the ledger
    first_span: int = 0

    def update(self, run: Run) -> dict[str, Any]:
        """The state update every turn makes."""
        return {
            "items": self.items,
            "observations": [as_json(o) for o in self.observations],
            "notes": self.notes,
            "spent": run.spent(),
            "turns": [as_json(t) for t in run.ledger.turns[self.first_turn :]],
            "spans": [as_json(s) for s in run.ledger.spans[self.first_span :]],
            "redactions": run.redactor.snapshot(),
        }


async def take_turn(
    run: Run, state: State, node: str, *, submit: str | None = None, look: bool = False, extra: str = "", head: Any = ()
) -> Outcome:
    """One turn of `node`: `submit` names the submission wanted, `look` allows the evidence tools.

    `head` are items that go before the turn's own message. A model that cannot be reached, or time that is over,
    ends in a failed `Outcome` with a note: the caller goes on with what it has.
    """
    allowed = [submit] if submit else []
    if look:
        allowed += list(run.tools)
    message = turn_message(node, run.allowance.deadline.left_s(), extra)
    outcome = Outcome(items=[*head, message], first_turn=len(run.ledger.turns), first_span=len(run.ledger.spans))
    items = [*state.get("items", []), *outcome.items]
    for attempt in range(2):  # one repair of a submission that does not fit its schema
        try:
            reply, calls = await _ask(run, node, items, allowed)
        except (ModelError, BudgetError) as error:
            return _lost(run, node, outcome, error)
        if reply.truncated:
            outcome.notes.append(run.note(f"{node}: the answer was cut off at {OUTPUT_CAPS[node]} tokens"))
        added, wrong = await _take_in(run, node, reply, calls, submit, outcome)
        outcome.items += added
        items += added
        if submit is None or outcome.submission is not None or not wrong or attempt:
            break
    if submit and outcome.submission is None:
        outcome.notes.append(run.note(f"{node}: the model gave no valid {submit}"))
    return outcome


async def _ask(run: Run, node: str, items: Sequence[Any], allowed: Sequence[str]) -> tuple[Reply, Calls]:
    """The model's reply, with its evidence calls already under way."""
    reserved = node == "conclude"
    deadline = run.allowance.take_turn(reserved=reserved)
    number = len(run.ledger.turns) + 1
    run.emit(TurnStarted(number, node, run.allowance.deadline.left_s()))
    ask = Ask(items, run.tool_list, allowed, run.tier, OUTPUT_CAPS[node])  # type: ignore[arg-type]
    calls = Calls(run, number)

    def on_call(call: ToolCall) -> None:
        if call.name in run.tools:
            calls.start(call)

    try:
        reply = await _with_retries(run, ask, deadline, number, calls, on_call)
    except BaseException:
        calls.cancel()
        raise
    return reply, calls


async def _with_retries(run: Run, ask: Ask, deadline: Deadline, number: int, calls: Calls, on_call: Any) -> Reply:
    slept_from: list[float] = []

    async def attempt() -> Reply:
        if slept_from:
            run.ledger.add("retry_sleep", "model", slept_from.pop(), now(), number)
        calls.cancel()  # of an attempt that broke off; memoised results come back at once
        calls.forget()
        began = now()
        try:
            reply = await run.client.ask(ask, deadline, on_call)
        except ModelError:
            run.ledger.add("network", "failed call", began, now(), number)
            raise
        _charge(run, reply, began, number)
        return reply

    def before_sleep(wait_s: float, error: BaseException) -> None:
        run.note(f"model call failed, trying again in {wait_s:.1f} s: {error}")
        slept_from.append(now())

    return await with_retries(attempt, deadline, before_sleep)


def _charge(run: Run, reply: Reply, began: float, number: int) -> None:
    """Split a call's time: the server's own figures inside what was observed, the rest is network."""
    first_at, end = began + reply.ttft_s, began + reply.total_s
    info = reply.time_info
    queue_s = min(info.get("queue_time", 0.0), reply.ttft_s)
    prefill_s = min(info.get("prompt_time", 0.0), reply.ttft_s - queue_s) if info else reply.ttft_s
    run.ledger.add("queue", "model", began, began + queue_s, number)
    run.ledger.add("prefill", "model", began + queue_s, began + queue_s + prefill_s, number)
    run.ledger.add("network", "model", began + queue_s + prefill_s, first_at, number)
    run.ledger.add("decode", "model", first_at, end, number)


async def _take_in(
    run: Run, node: str, reply: Reply, calls: Calls, submit: str | None, outcome: Outcome
) -> tuple[list[dict[str, Any]], bool]:
    """Wait for the tools, record the turn, and answer each call. Says whether a submission was wrong."""
    stream_ended = now()
    results = await calls.results()
    _record(run, node, reply, calls, stream_ended)
    by_id = {call.id: observation for call, observation in results}
    added, wrong = reply.items(), False
    for call in reply.calls:
        if call.id in by_id:
            observation = by_id[call.id]
            if observation.id and observation not in outcome.observations:  # without an id it only says why not
                outcome.observations.append(observation)
            added.append(output_item(call.id, observation))
            continue
        answer = _check(call, submit, outcome)
        wrong = wrong or answer != "noted"
        added.append({"type": "function_call_output", "call_id": call.id, "output": answer})
    return added, wrong


def _check(call: ToolCall, submit: str | None, outcome: Outcome) -> str:
    """Accept a submission, or say what is wrong with it."""
    if call.name != submit:
        return f"{call.name} is not available in this turn"
    try:
        value = orjson.loads(call.arguments)
    except ValueError:
        return f"{call.name}: the arguments are not JSON"
    wrong = problem(call.name, value)
    if wrong is None:
        outcome.submission = value
    return wrong or "noted"


def _record(run: Run, node: str, reply: Reply, calls: Calls, stream_ended: float) -> None:
    ended = max([stream_ended, *(end for _, end in calls.spans)])
    began = stream_ended - reply.total_s
    emulated = dict(reply.tiers_s)
    model_s = emulated.get(reply.tier, reply.total_s)
    tail_s = max(0.0, ended - stream_ended)
    turn = Turn(
        number=len(run.ledger.turns) + 1,
        node=node,
        tier=reply.tier or run.tier,
        start_s=began - run.ledger.began_at,
        ttft_s=reply.ttft_s,
        decode_s=reply.total_s - reply.ttft_s,
        wall_s=ended - began,
        input_tokens=reply.input_tokens,
        cached_tokens=reply.cached_tokens,
        output_tokens=reply.output_tokens,
        tools=calls.names(),
        tool_tail_s=tail_s,
        emulated_s=emulated,
        ideal_s=min(model_s, reply.total_s) + tail_s,
    )
    run.ledger.turns.append(turn)
    run.pacing.learn(turn)
    run.keep_reserve()
    run.emit(TurnEnded(turn.number, node, turn.tier, turn.wall_s, turn.output_tokens))


def _lost(run: Run, node: str, outcome: Outcome, error: Exception) -> Outcome:
    """The turn could not be had: say so, and let the answer be built from what is known."""
    what = "no time left for it" if isinstance(error, DeadlineExceeded) else str(error)
    if isinstance(error, BudgetError) and not isinstance(error, DeadlineExceeded):
        what = f"the budget of {error} is spent"
    kind = "unreachable" if isinstance(error, ModelUnavailable) else "lost"
    outcome.notes.append(run.note(f"{node}: model {kind}: {what}" if kind == "unreachable" else f"{node}: {what}"))
    outcome.failed = True
    outcome.items = []
    return outcome
