"""The bot on real sockets, as its own process: few tests. What it answers is shown in test_app."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import median
from threading import Thread
from typing import Any, Self, cast

import httpx2
import pytest

from fastagent.bot.outbox import Outbox
from fastagent.bot.queue import Queue
from fastagent.bot.server import Asgi, listen
from fastagent.bot.store import Store
from fastagent.errors import InputError
from tests.fastagent.alerts.samples import ALERTMANAGER

FASTAGENT = str(Path(sys.executable).parent / "fastagent")
TOKEN = {"authorization": "Bearer s3cret"}
LOG = (
    "2026-01-02T03:00:00Z INFO web up\n" * 30
    + "2026-01-02T03:04:05Z ERROR web: cannot write: No space left on device\n" * 9
)


class Target:
    """A webhook on loopback: what it was posted, with the key of each letter."""

    def __init__(self) -> None:
        letters = self.letters = SimpleQueue[tuple[str, Any]]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                letters.put((self.headers["idempotency-key"], json.loads(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple["subprocess.Popen[str]", httpx2.Client]]:
    """A bot in its own process, and a client that shows the token."""
    args = ["bot", "serve", "--db", str(folder / "bot.db"), "--port", "0", "--token", "s3cret", *options]
    with subprocess.Popen([FASTAGENT, *args], stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr
        try:
            found = re.search(r"http://[\d.:]+", process.stderr.readline())
            assert found
            with httpx2.Client(base_url=found[0], headers=TOKEN, timeout=20, trust_env=False) as client:
                yield process, client
        finally:
            process.kill()


@pytest.fixture
def alert(tmp_path: Path) -> dict[str, Any]:
    logs = tmp_path / "bundles" / "disk" / "logs"
    logs.mkdir(parents=True)
    (logs / "web.log").write_text(LOG)
    labels = {**ALERTMANAGER["alerts"][0]["labels"], "bundle": "disk"}
    return {**ALERTMANAGER, "alerts": [{**ALERTMANAGER["alerts"][0], "labels": labels}]}


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("kill", "how"),
    [
        pytest.param(os.killpg, signal.SIGKILL, id="bot and worker killed"),
        pytest.param(os.kill, signal.SIGKILL, id="bot killed"),
        pytest.param(os.kill, signal.SIGTERM, id="bot asked to stop"),
    ],
)
def test_stopped_between_accept_and_answer_and_started_again_it_answers_once(
    tmp_path: Path, alert: dict[str, Any], kill: Callable[[int, int], None], how: signal.Signals
) -> None:
    with Target() as target:
        options = ("--bundles", str(tmp_path / "bundles"), "--webhook", target.url)
        with running(tmp_path, *options, "--pace", "real", "--tier", "default") as (process, client):
            reply = client.post("/webhook/alertmanager", json=alert)
            assert reply.status_code == 202
            (incident,) = reply.json()["incidents"]
            while client.get(f"/incidents/{incident}.json").json()["state"] == "queued":
                pass
            kill(process.pid, how)
            process.wait(timeout=20)
        with pytest.raises(Empty):
            target.letters.get_nowait()
        with running(tmp_path, *options) as (process, client):
            key, letter = target.letters.get(timeout=30)
            assert (key, letter["incident_id"], letter["state"]) == (incident, incident, "done")
            assert letter["report"]["root_cause"]["category"] == "resource_exhaustion"
            again = client.post("/webhook/alertmanager", json=alert).json()
            assert (again["incidents"], again["new"]) == ([incident], 0)
            assert "No space left on device" in client.get(f"/incidents/{incident}").text
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)
        store = Store(tmp_path / "bot.db")
        assert Outbox(store).state_of(incident) == "sent"
        assert Queue(store).counts() == {"done": 1}
        assert target.letters.empty()


def test_a_webhook_is_answered_within_100_ms_while_an_investigation_runs(tmp_path: Path, alert: dict[str, Any]) -> None:
    with running(tmp_path, "--bundles", str(tmp_path / "bundles")) as (_, client):
        client.get("/healthz")
        took_s = []
        for minute in range(20):
            alert["alerts"][0]["startsAt"] = f"2026-01-02T03:{minute:02}:00Z"
            began = time.perf_counter()
            assert client.post("/webhook", json=alert).json()["new"] == 1
            took_s.append(time.perf_counter() - began)
    assert median(took_s) < 0.1  # single ones may meet a pause of the machine


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "--token or --basic"),
        (["--webhook", "ftp://x"], "--webhook"),
        (["--prometheus", "prom:9090"], "--prometheus"),
        (["--basic", "nobody"], "user:password"),
        (["--bundles", "/no/such"], "--bundles /no/such"),
        (["--sla", "0"], "--sla"),
        (["--db", "/proc/nope/bot.db"], "/proc/nope/bot.db"),
    ],
)
def test_a_wrong_use_is_one_clear_line(tmp_path: Path, options: list[str], words: str) -> None:
    args = [FASTAGENT, "bot", "serve", "--db", str(tmp_path / "bot.db"), "--port", "0", *options]
    done = subprocess.run(args, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_busy_port_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"cannot listen on 127\.0\.0\.1:{port}"):
            listen("127.0.0.1", port)


@pytest.mark.virtual
async def test_a_body_that_does_not_come_is_given_up() -> None:
    sent, app = list[Any](), cast("Any", None)

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    async with asyncio.timeout(60):
        await Asgi(app, app)({"type": "http", "method": "POST", "path": "/webhook", "headers": []}, receive, send)
    assert sent[0]["status"] == 408


async def test_only_http_and_the_lifespan_are_spoken() -> None:
    app: Any = None

    async def nothing(*_: Any) -> Any:
        raise AssertionError

    with pytest.raises(NotImplementedError, match="websocket"):
        await Asgi(app, app)({"type": "websocket"}, nothing, nothing)
