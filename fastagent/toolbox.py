"""A tool: one function, the schema the model sees, and the time it is expected to take.

    @tool(expect_s=0.2)
    async def search_logs(scope: Scope, pattern: str, limit: int = 20) -> Observation:
        "Find lines that match a regular expression."

A parameter annotated `Scope` is filled in by the run and hidden from the model. A plain `def` runs in a thread,
so that a slow read cannot hold the loop. `load_tools` finds what is installed under the entry point `fastagent.tools`.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import entry_points
from threading import Thread
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from fastagent.budget import Deadline, now
from fastagent.bundle import Bundle
from fastagent.commands import CommandRunner
from fastagent.errors import DeadlineExceeded, ToolError
from fastagent.state import Incident, Observation

ToolFunction = Callable[..., Awaitable[Observation | str] | Observation | str]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the tools of one run may look at, and until when."""

    bundle: Bundle | None
    commands: CommandRunner
    incident: Incident
    deadline: Deadline
    memo: dict[str, Any] = field(
        default_factory=dict
    )  # what tools of this run share, e.g. parsed logs; keyed by module
    clock: Callable[[], float] = field(default=lambda: 0.0)  # the loop's clock, readable from a thread
    withheld: frozenset[str] = frozenset()  # what an ablation takes away (fastagent/ablation.py)

    def left_s(self) -> float:
        """Seconds until the deadline, also from a thread: long reads check it and stop with what they have."""
        return self.deadline.at - self.clock()


@dataclass(frozen=True, slots=True)
class Tool:
    """A function with its schema. `opening`, when set, is the arguments it is run with before the first turn."""

    name: str
    description: str
    args: type[BaseModel]
    run: ToolFunction
    expect_s: float  # typical duration, what the pacing reckons with
    scope_parameter: str | None = None
    opening: Mapping[str, Any] | None = None

    def schema(self) -> dict[str, Any]:
        """The tool as the Responses API takes it."""
        parameters = self.args.model_json_schema()
        parameters.pop("title", None)
        return {
            "type": "function",
            "name": self.name,
            "description": self.description,
            "parameters": parameters,
            "strict": False,
        }

    async def __call__(self, arguments: Mapping[str, Any], scope: Scope) -> Observation:
        """Run once. Never outlives the scope's deadline; never raises what the model could handle."""
        began = now()
        try:
            checked = self.args.model_validate(arguments)
        except ValidationError as error:
            return replace(failed(f"bad arguments: {_first_problem(error)}"), tool=self.name)
        try:
            async with scope.deadline.enforce(f"tool {self.name}"):
                observation = await self._run(checked, scope)
        except DeadlineExceeded:
            observation = failed("cut off at the deadline, nothing came back in time")
        except ToolError as error:
            observation = failed(str(error))
        return replace(observation, tool=self.name, elapsed_s=now() - began)

    async def _run(self, checked: BaseModel, scope: Scope) -> Observation:
        values = {name: getattr(checked, name) for name in type(checked).model_fields}
        if self.scope_parameter:
            values[self.scope_parameter] = scope
        if inspect.iscoroutinefunction(self.run):
            result = await self.run(**values)
        else:
            result = await asyncio.get_running_loop().run_in_executor(_THREADS, partial(self.run, **values))
        return result if isinstance(result, Observation) else Observation(summary="", text=str(result), examined=1)


class _DaemonThreads(Executor):
    """A thread a call, which nobody ever waits for: neither a closing loop nor the interpreter's end.

    asyncio's own executor joins its threads, so that one read that hangs would hold a program past its deadline.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run the call in a thread of its own."""
        future: Future[Any] = Future()
        Thread(target=self._run, args=(future, partial(fn, *args, **kwargs)), daemon=True, name="tool").start()
        return future

    @staticmethod
    def _run(future: "Future[Any]", call: Callable[[], Any]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(call())
        except StopIteration as error:  # a future cannot carry it
            future.set_exception(RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever awaits the future
            future.set_exception(error)


_THREADS = _DaemonThreads()


def failed(why: str) -> Observation:
    """An observation that says why there is nothing to see."""
    return Observation(summary=why, ok=False)


def tool(*, expect_s: float, opening: Mapping[str, Any] | None = None) -> Callable[[ToolFunction], Tool]:
    """Turn an annotated function into a `Tool`; its docstring is what the model reads."""

    def wrap(run: ToolFunction) -> Tool:
        hints = get_type_hints(run, include_extras=True)
        scope_parameter, model_fields = None, dict[str, Any]()
        for parameter in inspect.signature(run).parameters.values():
            if hints[parameter.name] is Scope:
                scope_parameter = parameter.name
            else:
                default = Field() if parameter.default is inspect.Parameter.empty else parameter.default
                model_fields[parameter.name] = (hints[parameter.name], default)
        name = getattr(run, "__name__", "tool")
        args = create_model(name, __config__=ConfigDict(extra="forbid"), **model_fields)
        return Tool(name, inspect.getdoc(run) or "", args, run, expect_s, scope_parameter, opening)

    return wrap


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])


def load_tools() -> tuple[Tool, ...]:
    """Every tool that installed packages offer: ours and yours, found the same way, in a stable order."""
    found = [t for point in entry_points(group="fastagent.tools") for t in point.load()()]
    return tuple(sorted(found, key=lambda t: t.name))


def withheld(given: Tool) -> Tool:
    """The same tool with nothing to show, to see whether an answer rests on evidence."""

    async def nothing(**_: Any) -> Observation:
        return Observation("nothing came back")

    return replace(given, run=nothing)
