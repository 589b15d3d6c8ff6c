from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest

from fastagent.bot.background import Background
from fastagent.bot.worker import Worker
from fastagent.errors import InputError
from tests.fastagent.bot.test_worker import Rig


def test_a_worker_lives_until_it_is_stopped_and_all_is_closed(tmp_path: Path) -> None:
    rig, closed = Rig(tmp_path), Event()

    @asynccontextmanager
    async def assemble() -> AsyncIterator[Worker]:
        yield Worker(rig.settings, rig.parts.queue, rig.parts.outbox, rig.agent, None)
        raise AssertionError  # a worker that works for ever is cancelled here

    @asynccontextmanager
    async def watched() -> AsyncIterator[Worker]:
        try:
            async with assemble() as worker:
                yield worker
        finally:
            closed.set()

    background = Background(watched)
    background.start()
    background.wake()
    assert background.alive
    background.stop()
    assert closed.is_set()
    assert not background.alive
    background.wake()
    background.stop()


def test_what_keeps_a_worker_from_starting_is_raised_to_the_starter() -> None:
    @asynccontextmanager
    async def assemble() -> AsyncIterator[Worker]:
        raise InputError("an extra is missing")
        yield

    with pytest.raises(InputError, match="an extra is missing"):
        Background(assemble).start()
