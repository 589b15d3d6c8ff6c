"""The app on real sockets: few tests, short ones. That times are exact is shown in virtual time."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import pytest
from openai import OpenAI

from wafer_backend.app import BODY_BYTES, App
from wafer_backend.driver import Driver
from wafer_backend.engines.echo import Echo
from wafer_backend.server import Asgi, ServerError, listen, serve
from wafer_backend.tiers import Tiers

WAFER = [sys.executable, "-c", "from wafer_backend.cli import main; main()", "serve", "--engine", "echo"]


@contextmanager
def running(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in its own process, and its URL."""
    with subprocess.Popen([*WAFER, "--port", "0", *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found
            yield process, found[0]
        finally:
            process.kill()


def client_of(url: str) -> OpenAI:
    return OpenAI(base_url=url, api_key="unused", max_retries=0)


def arrivals(client: OpenAI, tokens: int) -> list[float]:
    """When each token of a streamed answer came, in seconds of a monotonic clock."""
    stream = client.responses.create(model="gpt-5.6-sol", input=str(tokens), stream=True, service_tier="ultrafast")
    return [time.perf_counter() for event in stream if event.type == "response.output_text.delta"]


def test_a_stream_keeps_the_emulated_rate_on_a_socket() -> None:
    with running() as (_, url), client_of(url) as client:
        arrivals(client, 5)  # connect, and let both sides import what they need
        times = arrivals(client, 300)
    assert len(times) == 300
    assert 299 / (times[-1] - times[0]) == pytest.approx(750, rel=0.1)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_sigterm_lets_an_answer_finish() -> None:
    with running() as (process, url), client_of(url) as client:
        stream = client.responses.create(model="gpt-5.6-sol", input="300", stream=True, service_tier="ultrafast")
        events = iter(stream)
        next(events)
        process.send_signal(signal.SIGTERM)
        assert [event.type for event in events][-1] == "response.completed"
        process.wait(timeout=10)


def test_a_busy_port_is_one_line_and_status_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run([*WAFER, "--port", port], capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 1
    assert re.fullmatch(rf"wafer: cannot listen on 127\.0\.0\.1:{port}: .+\n", ended.stderr)


def test_a_host_that_is_not_ours_cannot_be_listened_on() -> None:
    with pytest.raises(ServerError, match=r"cannot listen on 192\.0\.2\.1"):
        listen("192.0.2.1", 0)


def test_without_the_extra_the_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    tiers = Tiers.default()
    with listen("127.0.0.1", 0) as listener, pytest.raises(ServerError, match=r"fastagent\[server\]"):
        serve(App(Echo(), tiers, Driver(tiers)), listener)


class Connection:
    """One ASGI request whose client stays until `gone_s`, in seconds from now; what was sent to it."""

    def __init__(self, app: App, body: bytes, gone_s: float = 1e6) -> None:
        self.sent: list[Any] = []
        self._app, self._body, self._gone_s = app, body, gone_s

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self._gone_at = loop.time() + self._gone_s
        scope = {"type": "http", "method": "POST", "path": "/v1/responses", "headers": []}
        await Asgi(self._app)(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if self._body:
            part, self._body = self._body[: 2**20], self._body[2**20 :]
            return {"type": "http.request", "body": part, "more_body": bool(self._body)}
        await asyncio.sleep(self._gone_at - asyncio.get_running_loop().time())
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)


def app() -> App:
    tiers = Tiers.default()
    return App(Echo(), tiers, Driver(tiers, "real"))


def question(tokens: int) -> bytes:
    return orjson.dumps({"model": "gpt-5.6-sol", "input": str(tokens), "stream": True, "service_tier": "ultrafast"})


@pytest.mark.virtual
async def test_each_due_batch_is_a_message_of_its_own() -> None:
    connection = Connection(app(), question(20))
    await connection.run()
    start, *bodies = connection.sent
    assert start["status"] == 200
    assert len([message for message in bodies if b"output_text.delta" in message["body"]]) == 20
    assert [message["more_body"] for message in bodies] == [True] * (len(bodies) - 1) + [False]


@pytest.mark.virtual
async def test_a_client_that_goes_frees_its_slot() -> None:
    served = app()
    connection = Connection(served, question(100_000), gone_s=0.5)
    await connection.run()
    assert asyncio.get_running_loop().time() == pytest.approx(0.5)
    assert served.driver.active("ultrafast") == 0


@pytest.mark.virtual
async def test_a_body_that_is_too_large_is_refused_without_being_read_to_its_end() -> None:
    connection = Connection(app(), b"a" * (BODY_BYTES + 8 * 2**20))
    await connection.run()
    assert connection.sent[0]["status"] == 413
    assert connection._body


@pytest.mark.virtual
async def test_only_http_is_spoken() -> None:
    with pytest.raises(NotImplementedError, match="websocket"):
        await Asgi(app())({"type": "websocket"}, Connection(app(), b"")._receive, Connection(app(), b"")._send)
