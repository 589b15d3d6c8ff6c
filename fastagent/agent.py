"""The agent: a compiled graph, a model, tools and playbooks. `investigate` reports, `stream` tells as it goes.

    report = await Agent().investigate("bundle/", Budget(total_s=5))

Nothing leaves the machine unless an endpoint is named. Whatever happens, an answer is given before the deadline.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import Any, Self
from uuid import uuid4

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langsmith import tracing_context

from fastagent.ablation import Ablation
from fastagent.backend import Pace, embedded
from fastagent.budget import Budget, now
from fastagent.commands import CommandRunner
from fastagent.errors import InputError
from fastagent.event import Event, Finished
from fastagent.graph.plan import look_first, opening_items
from fastagent.graph.prepare import Kit, Subject, prepare
from fastagent.graph.routing import build
from fastagent.graph.run import Run
from fastagent.graph.sweep import sweep
from fastagent.model.client import ModelClient
from fastagent.model.exchange import Endpoint
from fastagent.pacing import UNMEASURED_TOKENS_PER_S, Pacing
from fastagent.playbook import Match, Playbook, load_playbooks, match
from fastagent.prompts.schemas import submission_tools
from fastagent.report.assemble import Facts, assemble
from fastagent.state import Finding, Gap, Report, State, as_json, from_json
from fastagent.telemetry import log_event
from fastagent.toolbox import Tool, load_tools, withheld


class Agent:
    """Finds root causes. Without arguments: the installed tools and playbooks, answered by the embedded back end.

    `commands` answers command lines; without one they are answered from the bundle. `pause_before` names nodes
    ("conclude" …) before which a checkpointed run stops, to be continued by `resume`. `withhold` takes things away, to
    see what an answer rests on.
    """

    def __init__(
        self,
        tools: Sequence[Tool] | None = None,
        *,
        playbooks: Sequence[Playbook] | None = None,
        endpoint: Endpoint | None = None,
        tier: str = "ultrafast",
        pace: Pace = "none",
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        pause_before: Sequence[str] = (),
        commands: CommandRunner | None = None,
        withhold: Collection[Ablation] = (),
    ) -> None:
        self.withheld = frozenset(withhold)
        self.endpoint = endpoint or embedded(pace, tier)
        self.tier = tier
        given = load_tools() if tools is None else tools
        self.tools = {t.name: withheld(t) if Ablation.evidence in self.withheld else t for t in given}
        known = load_playbooks() if playbooks is None else playbooks
        self.playbooks = () if Ablation.playbooks in self.withheld else tuple(known)
        self.commands = commands
        self._tool_list = [*(t.schema() for t in self.tools.values()), *submission_tools()]
        self._running: set[asyncio.Timeout] = set()
        self._client: tuple[asyncio.AbstractEventLoop, ModelClient] | None = None
        self._graph: CompiledStateGraph[State, Run, State, State] = build().compile(
            checkpointer=checkpointer, interrupt_before=list(pause_before) if checkpointer else None
        )

    async def investigate(
        self, subject: Subject, budget: Budget | None = None, *, thread_id: str | None = None, spent_s: float = 0.0
    ) -> Report:
        """The report on an incident or a bundle (or the path of one), before the budget's deadline.

        `spent_s` is what was gone before this call, e.g. the program's start-up: the clock starts that much earlier.
        """
        return await _last(self.stream(subject, budget, thread_id=thread_id, spent_s=spent_s))

    async def resume(self, thread_id: str, subject: Subject | None = None) -> Report:
        """Continue a checkpointed run where it stopped; what it had spent stays spent. Raises `InputError` for none."""
        return await _last(self.stream(subject, None, thread_id=thread_id, resume=True))

    async def stream(
        self,
        subject: Subject | None,
        budget: Budget | None = None,
        *,
        thread_id: str | None = None,
        spent_s: float = 0.0,
        resume: bool = False,
    ) -> AsyncIterator[Event]:
        """Events while it works, at last `Finished` with the report. Closing the iterator cancels the work."""
        queue: asyncio.Queue[Event] = asyncio.Queue()
        config = {"configurable": {"thread_id": thread_id or uuid4().hex}, "recursion_limit": 1_000}
        earlier = await self._earlier(config) if resume else None

        def emit(event: Event) -> None:
            log_event(event)
            queue.put_nowait(event)

        run, start = self._prepare(subject, budget or Budget(), spent_s, emit, earlier)
        work = asyncio.create_task(self._work(run, start, config, earlier), name="investigation")
        work.add_done_callback(lambda _: queue.put_nowait(_END))
        try:
            while (event := await queue.get()) is not _END:
                yield event
            yield Finished(work.result())
        finally:
            work.cancel()
            await asyncio.wait([work])

    async def survey(self, subject: Subject, budget: Budget | None = None, *, spent_s: float = 0.0) -> Report:
        """What the tools and the playbooks say by themselves: no model is asked, nothing leaves the machine."""
        run, start = self._prepare(subject, budget or Budget(), spent_s, log_event)
        cut_off = False
        scope = asyncio.timeout_at(run.allowance.deadline.at)
        self._running.add(scope)
        try:
            async with scope:
                found = await look_first(run)
                await sweep(run, found)
        except TimeoutError:
            cut_off = True
        finally:
            self._running.discard(scope)
        return self._report(run, start, cut_off, modelless=True)

    async def matches(self, subject: Subject, budget: Budget | None = None) -> list[Match]:
        """Playbooks that the evidence speaks for, best first, with the findings that show their signals. No model."""
        run, _ = self._prepare(subject, budget or Budget(), 0.0, log_event)
        found = await look_first(run)
        await sweep(run, found)
        restored = run.redactor.restore_all(as_json([f for o in run.seen for f in o.findings]))
        findings = [from_json(Finding, f) for f in restored]
        return [Match(p, fit, p.signals_in(findings)) for p, fit in match(self.playbooks, findings)]

    async def preview(self, subject: Subject, budget: Budget | None = None) -> list[dict[str, Any]]:
        """The first items a model would be sent, redacted as they would be. Sends nothing."""
        run, _ = self._prepare(subject, budget or Budget(), 0.0, log_event)
        return opening_items(run, await look_first(run))

    def stop(self) -> None:
        """End every running investigation of this agent now, each with the answer it has."""
        for scope in self._running:
            scope.reschedule(asyncio.get_running_loop().time())

    async def close(self) -> None:
        """Close the connections to the model."""
        if self._client is not None:
            await self._client[1].close()
            self._client = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _earlier(self, config: Mapping[str, Any]) -> State:
        snapshot = await self._graph.aget_state(config)  # type: ignore[arg-type]
        if not snapshot.values:
            raise InputError(f"no run {config['configurable']['thread_id']!r} to resume in this checkpointer")
        return snapshot.values  # type: ignore[return-value]

    def _prepare(
        self,
        subject: Subject | None,
        budget: Budget,
        spent_s: float,
        emit: Callable[[Event], None],
        earlier: State | None = None,
    ) -> tuple[Run, State]:
        kit = Kit(
            self._client_here(), self.tier, self.tools, self._tool_list, self.playbooks, self.commands, self.withheld
        )
        pacing = Pacing(self.endpoint.tokens_per_s or UNMEASURED_TOKENS_PER_S)
        return prepare(kit, pacing, subject, budget, spent_s, emit, earlier)

    def _client_here(self) -> ModelClient:
        """The client of this loop: connections do not survive their loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._client[0] is not loop:
            self._client = (loop, ModelClient(self.endpoint))
        return self._client[1]

    async def _work(self, run: Run, start: State, config: Any, earlier: State | None) -> Report:
        """Run the graph until it ends, pauses, or the deadline cuts it off; then assemble what is known."""
        state, cut_off = start, False
        scope = asyncio.timeout_at(run.allowance.deadline.at)
        self._running.add(scope)
        try:
            async with scope:
                async for values in self._steps(None if earlier else start, config, run):
                    state = values
        except TimeoutError:
            if not scope.expired():
                raise
            cut_off = True
            why = "the deadline ended the search" if run.allowance.deadline.left_s() <= 0 else "stopped on request"
            state = {**state, "notes": [*state.get("notes", []), run.note(why)]}
        finally:
            self._running.discard(scope)
        return self._report(run, state, cut_off)

    async def _steps(self, start: State | None, config: Any, run: Run) -> AsyncIterator[State]:
        """The state after each step. Tracing is off whatever the environment says: it would upload log lines."""
        durability: Any = "async" if self._graph.checkpointer else None  # written while the next step runs
        with tracing_context(enabled=False):
            steps = self._graph.astream(start, config, context=run, stream_mode="values", durability=durability)
            async for values in steps:
                yield values  # type: ignore[misc]

    def _report(self, run: Run, state: State, cut_off: bool, *, modelless: bool = False) -> Report:
        bundle = run.scope.bundle
        facts = Facts(
            state=state,
            seen=run.seen,
            playbooks=run.playbooks,
            ledger=run.ledger,
            redactor=run.redactor,
            answered_by=NO_MODEL if modelless else self.endpoint.answered_by,
            modelless=modelless,
            tier=self.tier,
            sla_s=run.budget.total_s,
            wall_s=now() - run.ledger.began_at,
            gaps=(*(bundle.gaps if bundle else (Gap("bundle", "absent"),)), *getattr(run.scope.commands, "gaps", ())),
            cut_off=cut_off or run.cut_short or bool(run.allowance.exhausted),
        )
        return assemble(facts)


_END: Any = object()
NO_MODEL = "no model"  # who answered, where none was asked


async def _last(events: AsyncIterator[Event]) -> Report:
    async for event in events:
        if isinstance(event, Finished):
            return event.report
    raise AssertionError("a run always ends in Finished")
