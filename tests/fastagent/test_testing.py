import asyncio
import socket
import threading
import time

import pytest

from fastagent.testing import AutojumpLoop, run_virtual

pytestmark = pytest.mark.virtual


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_long_wait_takes_no_real_time() -> None:
    began = time.monotonic()
    await asyncio.sleep(3600)
    assert now() == 3600
    assert time.monotonic() - began < 1


async def test_timers_fire_in_order_at_exactly_their_time() -> None:
    seen: list[float] = []
    for delay_s in (3.0, 1.0, 2.0):
        asyncio.get_running_loop().call_later(delay_s, lambda: seen.append(now()))
    await asyncio.sleep(5)
    assert seen == [1.0, 2.0, 3.0]


async def test_a_timeout_cancels_at_its_deadline() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(30):
            await asyncio.sleep(60)
    assert now() == 30


async def test_the_clock_stands_still_while_anything_can_run() -> None:
    for _ in range(100):
        await asyncio.sleep(0)
    assert now() == 0


async def test_the_clock_waits_for_a_job_in_a_thread() -> None:
    async with asyncio.timeout(0.001):
        await asyncio.to_thread(time.sleep, 0.02)
    assert now() == 0


async def test_it_jumps_again_after_the_job() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(time.sleep, 0.01))
        group.create_task(asyncio.sleep(10))
    assert now() == 10


async def test_a_failing_job_lets_go_of_the_clock() -> None:
    with pytest.raises(ZeroDivisionError):
        await asyncio.to_thread(lambda: 1 // 0)
    await asyncio.sleep(1)
    assert now() == 1


async def test_the_clock_can_be_held_for_a_thread_that_the_loop_does_not_see() -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, AutojumpLoop)
    woken = asyncio.Event()
    thread = threading.Timer(0.02, lambda: loop.call_soon_threadsafe(woken.set))
    with loop.hold():
        thread.start()
        async with asyncio.timeout(0.001):
            await woken.wait()
    assert now() == 0


async def test_a_socket_that_is_ready_goes_before_a_timer() -> None:
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        far.send(b"x")
        async with asyncio.timeout(1):
            assert await asyncio.get_running_loop().sock_recv(near, 1) == b"x"
    assert now() == 0


def test_a_deadlock_is_said_and_does_not_hang() -> None:
    async def wait_forever() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="deadlock"):
        run_virtual(wait_forever())


def test_every_run_starts_at_zero_and_ends_at_the_same_time() -> None:
    async def work() -> float:
        await asyncio.gather(*(asyncio.sleep(0.1 * n) for n in range(10)))
        return now()

    assert run_virtual(work()) == run_virtual(work()) == 0.9


def test_a_run_that_used_threads_ends_cleanly() -> None:
    async def work() -> int:
        return await asyncio.to_thread(int, "7")

    assert run_virtual(work()) == 7
