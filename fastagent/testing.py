"""For tests of agents and tools: time that takes no time.

On an `AutojumpLoop` the clock stands still while anything can run, and jumps to the next timer when all wait. A test of
a 30 s timeout takes milliseconds, and every run takes the same emulated time to the nanosecond.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class AutojumpLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time, in seconds from 0.

    It never jumps while a job runs in an executor, nor past a socket that is ready. What happens in other processes,
    behind sockets, or in threads of somebody else's takes real time that this loop cannot see: hold the clock for
    it with `hold()`. When all wait and there is neither timer, job nor socket to wake them, it raises `RuntimeError`
    instead of hanging.
    """

    def __init__(self) -> None:
        self._now_s = 0.0
        self._held = 0
        super().__init__(_Waiter(self))

    def time(self) -> float:
        """Virtual seconds."""
        return self._now_s

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the clock from jumping while the body runs, for work that the loop cannot see."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def run_in_executor(self, executor: Any, func: Callable[[Unpack[Ts]], T], *args: *Ts) -> asyncio.Future[T]:
        """As in asyncio; the clock stands still until the job is done."""
        job = super().run_in_executor(executor, func, *args)
        self._held += 1
        job.add_done_callback(self._release)
        return job

    async def shutdown_default_executor(self, *args: Any) -> None:
        """As in asyncio; it waits for a thread."""
        with self.hold():
            await super().shutdown_default_executor(*args)

    def _release(self, _job: asyncio.Future[Any]) -> None:
        self._held -= 1


class _Waiter(selectors.DefaultSelector):
    """Where an asyncio loop waits: here it jumps instead."""

    def __init__(self, loop: AutojumpLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Events that are ready; without any, let `timeout` seconds have passed."""
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self._loop._held:  # noqa: SLF001  one class in two parts, as asyncio splits them
            return super().select(None)
        if timeout is not None:
            self._loop._now_s += timeout  # noqa: SLF001
            return []
        if len(self.get_map()) > 1:  # more than the loop's own wake-up socket
            return super().select(None)
        raise RuntimeError("deadlock: every task waits, and no timer, job or socket is there to wake one")


def run_virtual(coro: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in virtual time from 0 and return its result, like `asyncio.run`."""
    with asyncio.Runner(loop_factory=AutojumpLoop) as runner:
        return runner.run(coro)
