"""The app on a socket: a raw ASGI callable, served by uvicorn (the extra `server`); the worker lives as long as it."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastagent.bot.app import BODY_BYTES, App, Reply
from fastagent.bot.background import Background
from fastagent.bot.outbox import Outbox
from fastagent.bot.queue import Queue
from fastagent.bot.settings import Settings
from fastagent.bot.store import Store
from fastagent.errors import FastagentError, InputError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

DRAIN_S = 5  # how long stopping waits for requests that are under way
READ_S = 10.0  # a body that takes longer is not read to its end

SLOW = Reply(408, b"the body did not come in time\n", "text/plain", {"connection": "close"})

log = logging.getLogger("fastagent.bot")


class Asgi:
    """The ASGI side of an `App`, whose lifespan is that of the worker."""

    def __init__(self, app: App, background: Background) -> None:
        self._app, self._background = app, background

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or start and stop the worker."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            raise NotImplementedError(f"no {scope['type']} here")

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._start(send)
            else:
                await asyncio.to_thread(self._background.stop)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self, send: Send) -> None:
        try:
            await asyncio.to_thread(self._background.start)
        except FastagentError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
        else:
            await send({"type": "lifespan.startup.complete"})

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            async with asyncio.timeout(READ_S):
                body = await _read(receive)
        except TimeoutError:
            reply = SLOW
        else:
            if body is None:
                return
            reply = await self._app.handle(scope["method"], scope["path"], headers, body)
        await send({"type": "http.response.start", "status": reply.status, "headers": _raw(reply)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else reply.body})


async def _read(receive: Receive) -> bytes | None:
    """The body, or its first part where it is too large; None if the client has gone."""
    body = bytearray()
    while len(body) <= BODY_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


def _raw(reply: Reply) -> list[tuple[bytes, bytes]]:
    named = {"content-type": reply.media_type, "content-length": str(len(reply.body)), **reply.headers}
    return [(name.encode(), value.encode()) for name, value in named.items()]


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises `InputError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None


def build(settings: Settings) -> Asgi:
    """The whole bot. Raises `InputError` where its database cannot be used."""
    store = Store(settings.db)
    queue, outbox = Queue(store, target=settings.webhook), Outbox(store)
    background = Background(settings)
    app = App(queue, outbox, settings.credentials, background.wake, lambda: background.alive)
    return Asgi(app, background)


def serve(settings: Settings, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT. Raises `InputError` where an extra is missing."""
    try:
        import httptools  # noqa: F401  what uvicorn is told to use below
        import uvicorn
    except ImportError as error:
        raise InputError(f"the bot needs {error.name}: pip install 'fastagent[server,sqlite]'") from None
    config = uvicorn.Config(
        build(settings),
        http="httptools",
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_S,
    )
    uvicorn.Server(config).run(sockets=[listener])
