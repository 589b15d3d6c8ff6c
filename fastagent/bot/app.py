"""The bot as one function from a request to a reply, whatever carries it.

POST /webhook, /webhook/<format>     202 with the incidents' ids
GET  /, /incidents/<id>[.json]       what became of them
GET  /healthz                        for a supervisor, without credentials
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from fastagent.alerts import parse
from fastagent.bot import page
from fastagent.bot.auth import CHALLENGE, Credentials
from fastagent.bot.outbox import Outbox
from fastagent.bot.queue import Accepted, Entry, Queue, QueueFull
from fastagent.state import as_json

BODY_BYTES = 4 * 2**20
JSON, HTML = "application/json", "text/html; charset=utf-8"
_SAFE = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}

log = logging.getLogger("fastagent.bot")


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response."""

    status: int
    body: bytes
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class App:
    """The bot's pages and its webhook. `wake` is told that something was queued, `is_working` asks the worker."""

    queue: Queue
    outbox: Outbox
    credentials: Credentials
    wake: Callable[[], None]
    is_working: Callable[[], bool]

    async def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Answer one request; header names are in lower case. A refusal is one line."""
        if path == "/healthz":
            return await self._health()
        if not self.credentials.allow(headers):
            return _refusal(401, "credentials are missing or wrong", {"www-authenticate": CHALLENGE})
        try:
            return await self._route(method, path, body)
        except QueueFull as error:
            return _refusal(503, str(error), {"retry-after": "30"})
        except sqlite3.Error as error:
            log.exception("the database failed")
            return _refusal(503, f"the database failed: {error}", {"retry-after": "5"})

    async def _route(self, method: str, path: str, body: bytes) -> Reply:
        if path == "/webhook" or path.startswith("/webhook/"):
            return await self._accept(body) if method == "POST" else _only("POST")
        if path != "/" and not path.startswith("/incidents/"):
            return _refusal(404, "there is nothing here")
        if method not in ("GET", "HEAD"):
            return _only("GET")
        if path == "/":
            return _html(page.listing(await asyncio.to_thread(self.queue.latest)))
        return await asyncio.to_thread(self._incident, path.removeprefix("/incidents/"))

    async def _accept(self, body: bytes) -> Reply:
        """The path may name a format for people's eyes; what it is, the payload says."""
        if len(body) > BODY_BYTES:
            return _refusal(413, f"a payload above {BODY_BYTES // 2**20} MB")
        if not body.strip():
            return _refusal(400, "the payload is empty")
        accepted = await asyncio.to_thread(self._queued, body)
        if accepted.new:
            self.wake()
        return Reply(202, orjson.dumps({"incidents": accepted.incidents, "new": accepted.new}))

    def _queued(self, body: bytes) -> Accepted:
        return self.queue.accept(parse(body))

    def _incident(self, name: str) -> Reply:
        entry = self.queue.entry(name.removesuffix(".json"))
        if entry is None:
            return _refusal(404, "no such incident")
        if name.endswith(".json"):
            return Reply(200, orjson.dumps(_told(entry)), JSON, _SAFE)
        return _html(page.incident(entry, self.outbox.state_of(entry.id)))

    async def _health(self) -> Reply:
        try:
            counts = await asyncio.to_thread(self.queue.counts)
        except sqlite3.Error:
            return _refusal(503, "the database cannot be read")
        if not self.is_working():
            return _refusal(503, "the worker has ended")
        return Reply(200, orjson.dumps({"status": "ok", "incidents": counts}))


def _told(entry: Entry) -> dict[str, Any]:
    value: dict[str, Any] = as_json(entry)
    return value


def _html(text: str) -> Reply:
    return Reply(200, text.encode("utf-8", "replace"), HTML, _SAFE)


def _only(method: str) -> Reply:
    return _refusal(405, f"only {method} here", {"allow": method})


def _refusal(status: int, why: str, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, f"{why}\n".encode(), "text/plain; charset=utf-8", headers or {})
