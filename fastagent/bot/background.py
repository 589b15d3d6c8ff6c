"""The worker in a process of its own: whatever it reads, a webhook is answered at once, and if it dies it is replaced.

A pipe joins the two. A message on it wakes the worker; its end, also when this process is killed, tells it to stop.
"""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Event, Thread

from fastagent.bot.outbox import Outbox
from fastagent.bot.queue import Queue
from fastagent.bot.settings import Settings
from fastagent.bot.store import Store
from fastagent.bot.worker import assembled
from fastagent.errors import FastagentError, InputError

START_S = 60.0
STOP_S = 10.0  # how long stopping waits for the worker to put its incident back
REPLACE_S = 1.0  # before a worker that died is replaced
READY, WAKE = b"ready", b"wake"
_SPAWN = get_context("spawn")

log = logging.getLogger("fastagent.bot")


class Background:
    """Keeps a worker process running `work(settings, pipe)` until `stop`."""

    def __init__(self, settings: Settings, work: "Callable[[Settings, Connection], None] | None" = None) -> None:
        self._settings, self._work = settings, work or run
        self._stopping = Event()
        self._keeper = Thread(target=self._keep, name="keeper", daemon=True)
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def start(self) -> None:
        """Start, and return when the worker is about to take its first incident. Raises what keeps it from it."""
        self._launch()
        self._keeper.start()

    def wake(self) -> None:
        """There is something in the queue."""
        with contextlib.suppress(OSError):  # it is being replaced, and looks into the queue when it starts
            if self._pipe is not None:
                self._pipe.send_bytes(WAKE)

    def stop(self) -> None:
        """Stop; what is being investigated goes back into the queue."""
        self._stopping.set()
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.join(STOP_S)
            if self._process.is_alive():
                self._process.kill()
        if self._keeper.is_alive():
            self._keeper.join(STOP_S)

    @property
    def alive(self) -> bool:
        """Whether the worker works."""
        return self._process is not None and self._process.is_alive()

    def _launch(self) -> None:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=self._work, args=(self._settings, theirs), name="worker", daemon=True)
        process.start()
        theirs.close()  # so that the process has the only one: when it dies, we see the end
        self._process, self._pipe = process, ours
        if self._stopping.is_set():
            ours.close()
        try:
            said = ours.recv_bytes() if ours.poll(START_S) else b"the worker does not start"
        except (EOFError, OSError):
            said = b"the worker died while it started"
        if said != READY:
            raise InputError(said.decode())

    def _keep(self) -> None:
        while not self._stopping.is_set() and self._process is not None:
            self._process.join()
            if self._stopping.wait(REPLACE_S):
                return
            log.error("the worker died (status %s) and is replaced", self._process.exitcode)
            with contextlib.suppress(InputError):  # tried again, and seen by /healthz until then
                self._launch()


def run(settings: Settings, pipe: Connection) -> None:
    """The worker's process. It ends with the pipe, and not by a Ctrl-C that was meant for its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        asyncio.run(_work(settings, pipe))
    except FastagentError as error:
        with contextlib.suppress(OSError):
            pipe.send_bytes(str(error).encode())


async def _work(settings: Settings, pipe: Connection) -> None:
    store = Store(settings.db)
    async with assembled(settings, Queue(store, target=settings.webhook), Outbox(store)) as worker:
        loop, task = asyncio.get_running_loop(), asyncio.create_task(worker.run())

        def listen() -> None:
            with contextlib.suppress(EOFError, OSError):
                while True:
                    pipe.recv_bytes()
                    loop.call_soon_threadsafe(worker.wake)
            with contextlib.suppress(RuntimeError):  # the loop has ended before the pipe
                loop.call_soon_threadsafe(task.cancel)

        Thread(target=listen, name="pipe", daemon=True).start()
        with contextlib.suppress(OSError):
            pipe.send_bytes(READY)
        with contextlib.suppress(asyncio.CancelledError):
            await task
