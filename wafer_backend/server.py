"""The app on a socket: a raw ASGI callable, served by uvicorn (the extra `server`).

A stream's chunk is one ASGI message and one write. asyncio and uvloop both set TCP_NODELAY on what they accept, so
that no token waits for the next one.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from wafer_backend.app import BODY_BYTES, App, Chunks

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

DRAIN_S = 30.0  # how long SIGTERM waits for answers that are on their way
KEEP_ALIVE_S = 75.0  # longer than the tools of a turn take, so that the next turn finds its connection open
BACKLOG = 2048


class ServerError(Exception):
    """Cannot serve. The message is one line, for users."""


class Asgi:
    """The ASGI side of an `App`. HTTP only."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request; a client that goes frees its slot."""
        if scope["type"] != "http":
            raise NotImplementedError(f"no {scope['type']} here")
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        body = await _read(receive)
        if body is None:
            return
        reply = await self._app.handle(scope["method"], scope["path"], headers, body)
        raw = [(name.encode(), value.encode()) for name, value in reply.headers.items()]
        async with asyncio.TaskGroup() as tasks:
            watch = tasks.create_task(_close_when_gone(receive, reply.chunks))
            await send({"type": "http.response.start", "status": reply.status, "headers": raw})
            await _stream(reply.chunks, send)
            watch.cancel()


async def _read(receive: Receive) -> bytes | None:
    """The body, or its first part where it is too large to be read; None if the client has gone."""
    body = bytearray()
    while len(body) <= BODY_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body)


async def _stream(chunks: Chunks, send: Send) -> None:
    async for chunk in chunks:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _close_when_gone(receive: Receive, chunks: Chunks) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass  # the rest of a body that was too large
    await chunks.aclose()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises `ServerError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ServerError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None


def serve(app: App, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT, then drain. Raises `ServerError` where the extra is missing."""
    try:
        import httptools  # noqa: F401  what uvicorn is told to use below
        import uvicorn
    except ImportError as error:
        raise ServerError(f"the server needs {error.name}: pip install 'fastagent[server]'") from None
    config = uvicorn.Config(
        Asgi(app),
        http="httptools",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=int(KEEP_ALIVE_S),
        timeout_graceful_shutdown=int(DRAIN_S),
    )
    uvicorn.Server(config).run(sockets=[listener])
