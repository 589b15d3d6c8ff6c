"""One investigation at a time: claim, gather the evidence, investigate, write the answer down, deliver it."""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import orjson
from langgraph.checkpoint.base import BaseCheckpointSaver

from fastagent.agent import Agent
from fastagent.bot.evidence import gather
from fastagent.bot.outbox import NotDelivered, Outbox, Refused, deliver
from fastagent.bot.owner import this_process
from fastagent.bot.queue import LEASE_S, Entry, Queue
from fastagent.bot.settings import Settings
from fastagent.budget import Budget
from fastagent.errors import FastagentError, InputError
from fastagent.report import jsonfile
from fastagent.state import Report

POLL_S = 1.0  # leases of other machines run out unannounced
SHARE_LEFT = 0.5  # of the SLA is given to an incident that has waited: a late answer beats an empty one

log = logging.getLogger("fastagent.bot")


class Worker:
    """Works off a queue until it is cancelled. `wake` is called from the loop when something was queued."""

    def __init__(
        self, settings: Settings, queue: Queue, outbox: Outbox, agent: Agent, saver: BaseCheckpointSaver[Any] | None
    ) -> None:
        self._settings, self._queue, self._outbox = settings, queue, outbox
        self._agent, self._saver = agent, saver
        self._owner = this_process()
        self._woken, self._answered = asyncio.Event(), asyncio.Event()

    def wake(self) -> None:
        """There is something new."""
        self._woken.set()

    async def run(self) -> None:
        """Work for ever."""
        await asyncio.to_thread(self._queue.recover)
        await asyncio.to_thread(self._outbox.recover)
        async with httpx2.AsyncClient() as client, asyncio.TaskGroup() as tasks:
            tasks.create_task(_for_ever(self.investigate_next, client, self._woken))
            tasks.create_task(_for_ever(self.deliver_next, client, self._answered))

    async def investigate_next(self, client: httpx2.AsyncClient) -> bool:
        """One incident, if one waits. Whatever goes wrong with it is its answer."""
        entry = await asyncio.to_thread(self._queue.claim, self._owner)
        if entry is None:
            self._answered.set()  # one that was given up has a letter, too
            return False
        try:
            report = await self._answer(entry, client)
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.to_thread(self._queue.release, entry.id, self._owner))
            raise
        except Exception as error:  # a bug in a tool must not take the queue down
            log.exception("incident %s failed", entry.id)
            words = str(error) if isinstance(error, FastagentError) else f"{type(error).__name__}: {error}"
            await asyncio.to_thread(self._queue.finish, entry.id, self._owner, None, " ".join(words.split()))
        else:
            await asyncio.to_thread(self._queue.finish, entry.id, self._owner, report)
        self._answered.set()
        if self._saver is not None:
            await self._saver.adelete_thread(entry.id)  # there is nothing to continue any more
        return True

    async def _answer(self, entry: Entry, client: httpx2.AsyncClient) -> Mapping[str, Any]:
        async with self._held(entry):
            began_at = asyncio.get_running_loop().time()
            waited_s = max(0.0, time.time() - entry.received_at)
            subject = await gather(entry, self._settings, client)
            gathered_s = asyncio.get_running_loop().time() - began_at
            if await self._is_begun(entry):
                report = await self._agent.resume(entry.id, subject)
            else:
                budget = Budget(total_s=max(self._settings.sla_s - waited_s, self._settings.sla_s * SHARE_LEFT))
                report = await self._agent.investigate(subject, budget, thread_id=entry.id, spent_s=gathered_s)
        return _timed(report, waited_s, self._settings.sla_s)

    async def _is_begun(self, entry: Entry) -> bool:
        """Whether an earlier process left a checkpoint of it."""
        config: Any = {"configurable": {"thread_id": entry.id}}
        return self._saver is not None and await self._saver.aget_tuple(config) is not None

    @asynccontextmanager
    async def _held(self, entry: Entry) -> AsyncIterator[None]:
        """Renew the lease while the body runs."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(LEASE_S / 3)
                await asyncio.to_thread(self._queue.renew, entry.id, self._owner)

        task = asyncio.create_task(renew())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def deliver_next(self, client: httpx2.AsyncClient) -> bool:
        """One letter, if one is due."""
        letter = await asyncio.to_thread(self._outbox.take, self._owner)
        if letter is None:
            return False
        try:
            await deliver(letter, client)
        except (NotDelivered, Refused) as error:
            log.warning("report %s was not delivered: %s", letter.key, error)
            final = isinstance(error, Refused)
            await asyncio.to_thread(self._outbox.put_back, letter, str(error), final=final)
        else:
            await asyncio.to_thread(self._outbox.sent, letter)
        return True


async def _for_ever(
    step: Callable[[httpx2.AsyncClient], Awaitable[bool]], client: httpx2.AsyncClient, woken: asyncio.Event
) -> None:
    """Take steps; without one to take, wait to be woken. A database in trouble is tried again."""
    while True:
        woken.clear()
        try:
            busy = await step(client)
        except sqlite3.Error:
            log.exception("the database failed")
            busy = False
        if not busy:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await woken.wait()


def _timed(report: Report, waited_s: float, sla_s: float) -> Mapping[str, Any]:
    """The report as JSON, with what passed between the alert's receipt and the investigation."""
    value: dict[str, Any] = orjson.loads(jsonfile.render(report))
    timing = value["timing"]
    since_alert_s = waited_s + timing.get("wall_s", 0.0)
    timing["queued_s"], timing["since_alert_s"] = round(waited_s, 4), round(since_alert_s, 4)
    timing["sla_s"], timing["overrun_s"] = sla_s, round(max(0.0, since_alert_s - sla_s), 4)
    return value


@asynccontextmanager
async def assembled(settings: Settings, queue: Queue, outbox: Outbox) -> AsyncIterator[Worker]:
    """A worker with its agent, whose checkpoints are in the same file. Raises `InputError` without the extra."""
    try:
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    except ImportError:
        raise InputError("the bot needs the extra sqlite: pip install 'fastagent[sqlite,server]'") from None
    async with AsyncSqliteSaver.from_conn_string(str(settings.db)) as saver:
        agent = Agent(endpoint=settings.choice.endpoint(), tier=settings.choice.tier, checkpointer=saver)
        async with agent:
            yield Worker(settings, queue, outbox, agent, saver)
