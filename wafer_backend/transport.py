"""The emulator without a socket: an httpx2 transport that hands over each chunk when it is due.

`Backend` is what an agent finds under the entry point group `fastagent.backends`.
"""

from collections.abc import AsyncIterator
from typing import Literal

import httpx2

from wafer_backend.app import MODEL, App, Chunks
from wafer_backend.driver import Driver
from wafer_backend.engines.registry import load
from wafer_backend.tiers import Tiers


class Transport(httpx2.AsyncBaseTransport):
    """Carries requests to an `App` in the same process and event loop."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer, with a body that is made while it is read."""
        body = await request.aread()
        headers = {name.lower(): value for name, value in request.headers.items()}
        reply = await self._app.handle(request.method, request.url.path, headers, body)
        return httpx2.Response(reply.status, headers=dict(reply.headers), stream=_Body(reply.chunks))


class _Body(httpx2.AsyncByteStream):
    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._chunks

    async def aclose(self) -> None:
        await self._chunks.aclose()


class Backend:
    """Everything an agent needs to talk to the emulator in-process.

    `pace` "none" answers at once and reports emulated times; "real" keeps them, `time_scale` times as slow. Raises
    `EngineNotFound` and `ValueError` for what it cannot be.
    """

    base_url = "http://wafer.invalid/v1"  # never resolved: the transport answers
    model = MODEL

    def __init__(
        self, *, pace: Literal["none", "real"] = "none", engine: str = "evidence", time_scale: float = 1.0
    ) -> None:
        words, tiers = load(engine), Tiers.default(MODEL)
        self.answered_by = f"emulator:{words.name}"
        self.tiers: tuple[str, ...] = tiers.names
        self._app = App(words, tiers, Driver(tiers, pace, time_scale))

    def transport(self) -> httpx2.AsyncBaseTransport:
        """A transport for an httpx2 client; all of a backend's transports share its tiers and caches."""
        return Transport(self._app)
