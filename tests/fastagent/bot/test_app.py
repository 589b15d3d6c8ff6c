from base64 import b64encode
from pathlib import Path

import orjson
import pytest

from fastagent.bot.app import BODY_BYTES, App, Reply
from fastagent.bot.auth import Credentials
from tests.fastagent.alerts.samples import ALERTMANAGER, SAMPLES
from tests.fastagent.bot.bot_parts import ME, Parts

TOKEN = {"authorization": "Bearer s3cret"}
BODY = orjson.dumps(ALERTMANAGER)


class Bot:
    """An app whose worker only counts how often it was woken."""

    def __init__(self, folder: Path, *, works: bool = True) -> None:
        self.parts, self.woken = Parts(folder), 0
        self.app = App(self.parts.queue, self.parts.outbox, Credentials("s3cret"), self._wake, lambda: works)

    def _wake(self) -> None:
        self.woken += 1

    async def get(self, path: str) -> Reply:
        return await self.app.handle("GET", path, TOKEN, b"")

    async def post(self, body: bytes, path: str = "/webhook") -> Reply:
        return await self.app.handle("POST", path, TOKEN, body)


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    return Bot(tmp_path)


async def test_an_alert_is_accepted_once_and_wakes_the_worker(bot: Bot) -> None:
    first, again = await bot.post(BODY, "/webhook/alertmanager"), await bot.post(BODY)
    assert (first.status, again.status) == (202, 202)
    one, two = orjson.loads(first.body), orjson.loads(again.body)
    assert len(one["incidents"]) == 1
    assert (one["new"], two["new"]) == (1, 0)
    assert one["incidents"] == two["incidents"]
    assert bot.woken == 1


@pytest.mark.parametrize("name", SAMPLES)
async def test_any_format_is_accepted(bot: Bot, name: str) -> None:
    payload = SAMPLES[name]
    reply = await bot.post(payload.encode() if isinstance(payload, str) else orjson.dumps(payload))
    assert orjson.loads(reply.body)["new"] == 1


@pytest.mark.parametrize(("body", "status"), [(b"", 400), (b" \n", 400), (b"x" * (BODY_BYTES + 1), 413)])
async def test_what_is_no_payload_is_refused_in_one_line(bot: Bot, body: bytes, status: int) -> None:
    reply = await bot.post(body)
    assert reply.status == status
    assert reply.body.count(b"\n") == 1


@pytest.mark.parametrize("body", [b"{", b"\xff\x00", b"[]", b"null", b'{"alerts": [null, 7]}', b"[" * 5000])
async def test_malformed_payloads_are_alerts_too(bot: Bot, body: bytes) -> None:
    assert (await bot.post(body)).status == 202


@pytest.mark.parametrize("path", ["/", "/webhook", "/incidents/x", "/nope"])
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}])
async def test_without_credentials_there_is_one_line_and_no_more(bot: Bot, path: str, headers: dict[str, str]) -> None:
    reply = await bot.app.handle("POST", path, headers, BODY)
    assert (reply.status, reply.body.count(b"\n")) == (401, 1)
    assert "Basic" in reply.headers["www-authenticate"]
    assert bot.parts.queue.counts() == {}


async def test_a_browser_may_show_the_token_as_a_password(bot: Bot) -> None:
    shown = {"authorization": "Basic " + b64encode(b"me:s3cret").decode()}
    assert (await bot.app.handle("GET", "/", shown, b"")).status == 200


async def test_pages_show_what_came_in_and_what_became_of_it(bot: Bot) -> None:
    (incident,) = orjson.loads((await bot.post(BODY)).body)["incidents"]
    assert b"Errors: too many errors" in (await bot.get("/")).body
    assert b"on its way" in (await bot.get(f"/incidents/{incident}")).body
    bot.parts.queue.claim(ME)
    bot.parts.queue.finish(incident, ME, None, "no evidence")
    page = await bot.get(f"/incidents/{incident}")
    assert b"no evidence" in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    told = orjson.loads((await bot.get(f"/incidents/{incident}.json")).body)
    assert (told["state"], told["error"]) == ("failed", "no evidence")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/webhook", 405), ("POST", "/", 405), ("GET", "/nope", 404), ("GET", "/incidents/../x", 404)],
)
async def test_what_is_not_there_is_refused(bot: Bot, method: str, path: str, status: int) -> None:
    assert (await bot.app.handle(method, path, TOKEN, b"")).status == status


async def test_health_needs_no_credentials_and_knows_a_dead_worker(bot: Bot, tmp_path: Path) -> None:
    await bot.post(BODY)
    alive = await bot.app.handle("GET", "/healthz", {}, b"")
    assert orjson.loads(alive.body) == {"status": "ok", "incidents": {"queued": 1}}
    assert (await Bot(tmp_path, works=False).app.handle("GET", "/healthz", {}, b"")).status == 503
