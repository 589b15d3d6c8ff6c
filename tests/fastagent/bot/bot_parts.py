"""A bot's parts on a temporary database, with a clock that a test sets and a target that remembers its letters."""

from pathlib import Path
from typing import Any

import httpx2

from fastagent.alerts import Alert
from fastagent.bot.outbox import Outbox
from fastagent.bot.queue import Queue
from fastagent.bot.store import Store

TARGET = "http://target.invalid/reports"
ME, OTHER = "elsewhere:1", "elsewhere:2"  # processes of a machine that is not this one


class Clock:
    """Unix time, as the test says."""

    def __init__(self, at: float = 1_767_323_045.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


class Target(httpx2.AsyncBaseTransport):
    """Answers the n-th letter by the n-th status, the last one for ever; an exception is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.requests = answers or (200,), list[httpx2.Request]()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return httpx2.Response(answer)

    def client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=self)


class Parts:
    """Store, queue and outbox of one database."""

    def __init__(self, folder: Path, target: str = TARGET) -> None:
        self.clock = Clock()
        self.store = Store(folder / "bot.db")
        self.queue = Queue(self.store, target=target, clock=self.clock)
        self.outbox = Outbox(self.store, self.clock)


def alert(name: str = "Errors", start: str | None = "2026-01-02T03:04:05Z", **more: Any) -> Alert:
    return Alert(name, "alertmanager", started_at=start, services=("web",), fingerprint=name, **more)
