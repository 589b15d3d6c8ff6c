"""Tool calls of one turn: each starts the moment its arguments are closed in the stream, all run in parallel.

An identical call is answered from memory. Results are capped and redacted before anybody else sees them.
"""

import asyncio
from dataclasses import replace
from typing import Any

import orjson

from fastagent.budget import Deadline, now
from fastagent.errors import BudgetError
from fastagent.event import ToolEnded, ToolStarted
from fastagent.graph.run import Run
from fastagent.model.exchange import ToolCall
from fastagent.state import Observation, as_json, from_json
from fastagent.telemetry import log_failure
from fastagent.toolbox import failed

MAX_TEXT_CHARS = 3_000  # of an excerpt: the model's context is the budget
MAX_FINDINGS = 16


class Calls:
    """The evidence calls of one turn."""

    def __init__(self, run: Run, turn: int) -> None:
        self._run, self._turn = run, turn
        self._tasks: list[tuple[ToolCall, asyncio.Task[Observation]]] = []
        self.spans: list[tuple[float, float]] = []  # start and end of each, loop clock
        self.streaming = True

    def start(self, call: ToolCall) -> None:
        """Dispatch a closed call."""
        self._run.emit(ToolStarted(call.name, call.arguments, overlapped=self.streaming))
        self._tasks.append((call, asyncio.create_task(self._one(call), name=f"tool:{call.name}")))

    async def results(self) -> list[tuple[ToolCall, Observation]]:
        """Everything that came back, in the order of the calls."""
        self.streaming = False
        try:
            return [(call, await task) for call, task in self._tasks]
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Let nothing of this turn run on."""
        for _, task in self._tasks:
            task.cancel()

    def forget(self) -> None:
        """Start over: the attempt these calls belonged to has failed."""
        self._tasks.clear()
        self.spans.clear()
        self.streaming = True

    def names(self) -> tuple[str, ...]:
        """The tools that were called."""
        return tuple(call.name for call, _ in self._tasks)

    async def _one(self, call: ToolCall) -> Observation:
        began = now()
        observation = await self._answer(call)
        self.spans.append((began, now()))
        self._run.ledger.add("tool", call.name, began, now(), self._turn)
        return observation

    async def _answer(self, call: ToolCall) -> Observation:
        run = self._run
        try:
            arguments = orjson.loads(call.arguments)
        except ValueError:
            return Observation("the arguments are not JSON", ok=False, tool=call.name)
        key = f"{call.name} {orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS).decode()}"
        if key in run.memo:
            return Observation(f"the same call was answered before, see {run.memo[key]}", tool=call.name)
        return await observe(run, call.name, arguments, key)


async def observe(run: Run, name: str, arguments: Any, key: str, until: Deadline | None = None) -> Observation:
    """Run one tool under the budget and make its result fit to be seen: named, capped, redacted, remembered."""
    number = run.next_number(key)  # given when it begins: which of several ends first must not change the answer
    found = await _run_tool(run, name, arguments, until)
    observation = presentable(run, found, f"o{number}", name)
    run.saw(observation)
    run.emit(ToolEnded(name, observation.summary, len(observation.findings), observation.elapsed_s, observation.ok))
    return observation


async def _run_tool(run: Run, name: str, arguments: Any, until: Deadline | None) -> Observation:
    """What the tool returns. Whatever goes wrong is something for the model to read and work around."""
    if name not in run.tools:
        return failed(f"there is no tool {name!r}; there are {', '.join(run.tools)}")
    try:
        deadline = until or run.allowance.take_tool_call()
        return await run.tools[name](arguments, run.scope_until(deadline))
    except BudgetError as error:
        return failed(f"not run: the budget of {error} is spent")
    except Exception as error:  # noqa: BLE001 - a broken tool is one gap more, it must not cost the answer
        log_failure(name, error)
        return failed(run.note(f"{name} is broken, {type(error).__name__}: {error}"))


def presentable(run: Run, found: Observation, ident: str, name: str) -> Observation:
    """An observation as everybody may see it."""
    best = sorted(found.findings, key=lambda f: -f.score)[:MAX_FINDINGS]
    hidden = len(found.findings) - len(best)
    left_out = [found.left_out] if found.left_out else []
    left_out += [f"{hidden} weaker findings"] if hidden else []
    if len(found.text) > MAX_TEXT_CHARS:
        left_out.append(f"{len(found.text) - MAX_TEXT_CHARS} characters of the excerpt")
    findings = tuple(replace(f, id=f"{ident}.f{i}") for i, f in enumerate(best, 1))
    whole = replace(found, id=ident, tool=name, findings=findings, left_out="; ".join(left_out))
    hidden_of = from_json(Observation, run.redactor.redact_all(whole))  # before the cut: half a secret has no shape
    return replace(hidden_of, text=hidden_of.text[:MAX_TEXT_CHARS])


def output_item(call_id: str, observation: Observation) -> dict[str, Any]:
    """The observation as the model sees it, as data behind its call."""
    return {"type": "function_call_output", "call_id": call_id, "output": orjson.dumps(visible(observation)).decode()}


def visible(observation: Observation) -> dict[str, Any]:
    """What of an observation goes to the model: no report sections, nothing that is empty."""
    shown = as_json(observation)
    for name in ("report", "elapsed_s"):
        shown.pop(name)
    shown["findings"] = [_filled(f) for f in shown["findings"]]
    return _filled(shown) | {"examined": observation.examined}


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    kept = {k: (_filled(v) if isinstance(v, dict) else v) for k, v in values.items()}
    return {k: v for k, v in kept.items() if v not in (None, "", [], {}, 0.0)}
