"""The worker on a thread and a loop of its own, so that a webhook is answered at once whatever is being read."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from threading import Event, Thread

from fastagent.bot.worker import Worker

STOP_S = 10.0  # how long stopping waits for the worker to put its incident back

log = logging.getLogger("fastagent.bot")


class Background:
    """Runs a worker until `stop`. `assemble` is called, and everything closed again, on the worker's own loop."""

    def __init__(self, assemble: Callable[[], AbstractAsyncContextManager[Worker]]) -> None:
        self._assemble = assemble
        self._thread = Thread(target=self._run, name="worker", daemon=True)
        self._ready = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._worker: Worker | None = None
        self._error: BaseException | None = None

    def start(self) -> None:
        """Start, and return when the worker is about to take its first incident. Raises what keeps it from it."""
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def wake(self) -> None:
        """There is something in the queue. From any thread."""
        if self._loop is not None and self._worker is not None and self.alive:
            self._loop.call_soon_threadsafe(self._worker.wake)

    def stop(self) -> None:
        """Stop; what is being investigated goes back into the queue."""
        if self._loop is not None and self._task is not None and self.alive:
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(STOP_S)

    @property
    def alive(self) -> bool:
        """Whether the worker works."""
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # handed over to whoever starts us, or seen by /healthz
            self._error = error
            if self._ready.is_set():
                log.exception("the worker has ended")
        finally:
            self._ready.set()

    async def _main(self) -> None:
        async with self._assemble() as worker:
            self._loop, self._task, self._worker = asyncio.get_running_loop(), asyncio.current_task(), worker
            self._ready.set()
            await worker.run()
