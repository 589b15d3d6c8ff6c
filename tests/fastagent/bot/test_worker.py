import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
from langgraph.checkpoint.memory import InMemorySaver

from fastagent import Agent, Budget
from fastagent.alerts import incident_of
from fastagent.bot.queue import Entry
from fastagent.bot.settings import Settings
from fastagent.bot.worker import Worker
from fastagent.errors import InputError
from tests.fastagent.bot.bot_parts import Parts, Target, alert
from tests.fastagent.scripted import TOOLS, Server, sensible


class Rig:
    """A worker whose model is scripted, with one incident in its queue."""

    def __init__(self, folder: Path, model: Server | None = None, saver: Any = None, sla_s: float = 30.0) -> None:
        self.parts, self.model = Parts(folder), model or Server(sensible)
        self.settings = Settings(folder / "bot.db", sla_s=sla_s)
        self.agent = Agent(TOOLS, playbooks=(), endpoint=self.model.endpoint(), checkpointer=saver)
        self.worker = Worker(self.settings, self.parts.queue, self.parts.outbox, self.agent, saver)
        (self.incident,) = self.parts.queue.accept([alert()]).incidents

    @property
    def entry(self) -> Entry:
        entry = self.parts.queue.entry(self.incident)
        assert entry
        return entry


@asynccontextmanager
async def running(rig: Rig) -> AsyncIterator[asyncio.Task[bool]]:
    async with Target().client() as client:
        yield asyncio.create_task(rig.worker.investigate_next(client))


async def test_an_incident_is_investigated_written_down_and_posted(tmp_path: Path) -> None:
    rig, target = Rig(tmp_path), Target()
    async with target.client() as client:
        assert await rig.worker.investigate_next(client)
        assert not await rig.worker.investigate_next(client)
        assert await rig.worker.deliver_next(client)
        assert not await rig.worker.deliver_next(client)
    assert rig.entry.state == "done"
    assert rig.entry.report
    assert rig.entry.report["root_cause"]["component"] == "db-1"
    (request,) = target.requests
    letter = orjson.loads(request.content)
    assert (letter["incident_id"], letter["state"]) == (rig.incident, "done")
    assert letter["report"] == rig.entry.report
    assert request.headers["idempotency-key"] == rig.incident
    assert rig.parts.outbox.state_of(rig.incident) == "sent"


async def test_time_in_the_queue_counts_and_is_told_and_leaves_time_for_an_answer(tmp_path: Path) -> None:
    rig = Rig(tmp_path, sla_s=4.0)  # the queue's clock stands in the past: it has waited for long
    async with running(rig) as work:
        await work
    assert rig.entry.report
    timing = rig.entry.report["timing"]
    assert rig.entry.report["status"] == "complete"
    assert timing["queued_s"] > 1_000
    assert (timing["sla_s"], timing["overrun_s"] > 1_000) == (4.0, True)


async def test_a_failure_is_the_incidents_answer_and_the_queue_goes_on(tmp_path: Path) -> None:
    class Broken(Agent):
        async def investigate(self, *_: Any, **__: Any) -> Any:
            raise InputError("the evidence\nis gone")

    rig, target = Rig(tmp_path), Target()
    worker = Worker(rig.settings, rig.parts.queue, rig.parts.outbox, Broken(TOOLS, playbooks=()), None)
    async with target.client() as client:
        assert await worker.investigate_next(client)
        await worker.deliver_next(client)
    assert (rig.entry.state, rig.entry.error) == ("failed", "the evidence is gone")
    assert orjson.loads(target.requests[0].content)["error"] == "the evidence is gone"


async def test_a_target_that_is_down_keeps_its_letter_waiting(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    async with running(rig) as work:
        await work
    async with Target(400).client() as client:
        await rig.worker.deliver_next(client)
    assert rig.parts.outbox.state_of(rig.incident) == "failed: the target answered 400"


async def test_a_worker_that_is_stopped_puts_its_incident_back(tmp_path: Path) -> None:
    asked = asyncio.Event()

    class Silent(Server):
        async def handle_async_request(self, request: Any) -> Any:
            asked.set()
            await asyncio.Event().wait()

    rig = Rig(tmp_path, Silent())
    async with running(rig) as work:
        await asked.wait()
        assert rig.entry.state == "running"
        work.cancel()
        await asyncio.wait([work])
    assert (rig.entry.state, rig.entry.attempts) == ("queued", 0)


async def test_what_an_earlier_process_has_checkpointed_is_continued(tmp_path: Path) -> None:
    saver, first = InMemorySaver(), Server(sensible)
    rig = Rig(tmp_path, saver=saver)
    earlier = Agent(TOOLS, playbooks=(), endpoint=first.endpoint(), checkpointer=saver, pause_before=["conclude"])
    await earlier.investigate(incident_of(rig.entry.alerts), Budget(), thread_id=rig.incident)
    async with running(rig) as work:
        await work
    assert len(rig.model.bodies) == 1  # only the conclusion was left
    assert rig.entry.report
    assert len(rig.entry.report["timing"]["turns"]) == len(first.bodies) + 1
    assert not list(saver.list(None))  # what is answered leaves no checkpoint behind
