import json
from typing import Any

import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fastagent.testing import run_virtual
from wafer_backend.app import BODY_BYTES, ENDPOINTS, App, Reply
from wafer_backend.driver import Driver
from wafer_backend.engines import Answer, Call, Engine, Request
from wafer_backend.engines.echo import Echo
from wafer_backend.tiers import Tiers
from wafer_backend.wire import chat, responses

WORDS = ("type", "role", "content", "text", "name", "function", "tools", "mode", "format", "output", "call_id", "id")
ASK = {"model": "gpt-5.6-sol", "input": "say 3"}


class Broken:
    """An engine with a bug."""

    name = "broken"

    def answer(self, request: Request) -> Answer:
        raise RuntimeError("out of ideas")


class Garbled:
    """An engine whose text is none."""

    name = "garbled"

    def answer(self, request: Request) -> Answer:
        return Answer("\ud800")


class Wild:
    """An engine that calls what nobody offered."""

    name = "wild"

    def answer(self, request: Request) -> Answer:
        return Answer(calls=(Call("rm", "{}"),))


def app(engine: Engine | None = None, pace: Any = "none") -> App:
    tiers = Tiers.default()
    return App(engine or Echo(), tiers, Driver(tiers, pace), clock=lambda: 1000.0)


async def body(reply: Reply) -> Any:
    return orjson.loads(b"".join([chunk async for chunk in reply.chunks]))


async def post(payload: Any, path: str = "/v1/responses", using: App | None = None, headers: Any = ()) -> Any:
    raw = payload if isinstance(payload, bytes) else orjson.dumps(payload)
    reply = await (using or app()).handle("POST", path, dict(headers), raw)
    return reply.status, await body(reply)


async def test_a_question_is_answered() -> None:
    status, response = await post(ASK)
    assert (status, response["output"][0]["content"][0]["text"]) == (200, "one two three")
    assert response["created_at"] == 1000


async def test_the_tier_is_served_as_asked_and_else_by_default() -> None:
    tiers = [(await post(ASK | {"service_tier": tier}))[1]["service_tier"] for tier in ("ultrafast", "auto", None)]
    assert tiers == ["ultrafast", "default", "default"]


async def test_an_unknown_tier_is_refused_with_the_known_ones() -> None:
    status, refused = await post(ASK | {"service_tier": "warp"})
    assert (status, refused["error"]["param"]) == (400, "service_tier")
    assert "ultrafast" in refused["error"]["message"]


async def test_an_answer_tells_what_it_costs_on_every_tier() -> None:
    times = {tier: (await post(ASK | {"service_tier": tier}))[1]["time_info"] for tier in ("ultrafast", "default")}
    for tier, info in times.items():
        assert info["total_time"] == pytest.approx(info["tiers"][tier])
    assert times["default"]["total_time"] > 5 * times["ultrafast"]["total_time"]


async def test_the_models_are_listed_and_found() -> None:
    listing = await body(await app().handle("GET", "/v1/models", {}, b""))
    one = await body(await app().handle("GET", "/v1/models/gpt-5.6-sol", {}, b""))
    assert listing["data"] == [one]


async def test_health_is_told() -> None:
    assert (await app().handle("GET", "/healthz", {}, b"")).status == 200


@pytest.mark.parametrize(
    ("payload", "status", "code"),
    [
        (b"{", 400, None),
        (b"\xff", 400, None),
        (b"[]", 400, None),
        (b"", 400, None),
        (b'"' + b"a" * BODY_BYTES + b'"', 413, "request_too_large"),
        (b'{"metadata": ' + b'{"a":' * 252 + b"{}" + b"}" * 253, 400, None),
        ({"model": "gpt-4", "input": "hi"}, 404, "model_not_found"),
    ],
    ids=["broken", "not text", "no object", "empty", "huge", "deep", "other model"],
)
@pytest.mark.parametrize("path", ["/v1/responses", "/v1/chat/completions"])
async def test_bad_bodies_get_an_error_body(payload: Any, status: Any, code: Any, path: Any) -> None:
    if path.endswith("completions") and isinstance(payload, dict):
        payload = {"model": payload["model"], "messages": [{"role": "user", "content": "hi"}]}
    answered, error = await post(payload, path)
    assert (answered, error["error"]["code"]) == (status, code)
    assert error["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/responses", 405),
        ("POST", "/v1/models", 405),
        ("GET", "/v1/models/gpt-4", 404),
        ("POST", "/v1/embeddings", 404),
    ],
)
async def test_wrong_ways_get_an_error_body(method: Any, path: Any, status: Any) -> None:
    reply = await app().handle(method, path, {}, b"{}")
    assert (reply.status, "error" in await body(reply)) == (status, True)


@pytest.mark.parametrize(("engine", "words"), [(Broken(), "out of ideas"), (Wild(), "rm"), (Garbled(), "surrogates")])
async def test_an_engines_fault_is_the_servers(engine: Any, words: Any) -> None:
    status, error = await post(ASK, using=app(engine))
    assert (status, error["error"]["type"]) == (500, "server_error")
    assert words in error["error"]["message"]


async def test_a_header_asks_for_several_tokens_an_event() -> None:
    raw = orjson.dumps(ASK | {"stream": True})
    reply = await app().handle("POST", "/v1/responses", {"x-wafer-tokens-per-event": "2"}, raw)
    told = b"".join([chunk async for chunk in reply.chunks])
    assert told.count(b"event: response.output_text.delta") == 2


@pytest.mark.parametrize("value", ["many", "0", "-1", "", "9" * 5000])
async def test_a_bad_header_is_refused(value: str) -> None:
    status, error = await post(ASK, headers={"x-wafer-tokens-per-event": value})
    assert (status, error["error"]["param"]) == (400, "x-wafer-tokens-per-event")


async def test_replies_are_numbered() -> None:
    one = app()
    ids = [(await one.handle("GET", "/healthz", {}, b"")).headers["x-request-id"] for _ in range(2)]
    assert ids == ["req_00000001", "req_00000002"]


@pytest.mark.virtual
@pytest.mark.parametrize("chunks_read", [0, 1, 3])
async def test_closing_a_reply_frees_its_slot_at_once(chunks_read: Any) -> None:
    busy = app(pace="real")
    raw = orjson.dumps(ASK | {"stream": True, "service_tier": "ultrafast"})
    reply = await busy.handle("POST", "/v1/responses", {}, raw)
    for _ in range(chunks_read):
        await anext(reply.chunks)
    assert busy.driver.active("ultrafast") == 1
    await reply.chunks.aclose()
    assert busy.driver.active("ultrafast") == 0
    assert [chunk async for chunk in reply.chunks] == []


SHARED = app()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)


@given(
    path=st.sampled_from(sorted(ENDPOINTS)),
    fields=st.dictionaries(st.sampled_from(sorted(chat.SURFACE.read | responses.SURFACE.read)), JSON, max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_whatever_is_sent_is_answered_or_refused_and_never_crashes(path: str, fields: dict[str, Any]) -> None:
    start = ASK if path == "/v1/responses" else {"model": ASK["model"], "messages": [{"role": "user", "content": "3"}]}
    assume("stream" not in fields or fields["stream"] is not True)
    payload = json.dumps(start | fields).encode()
    status, answer = run_virtual(post(payload, path, using=SHARED))
    assert status in (200, 400, 404)
    assert (status == 200) == ("error" not in answer or answer["error"] is None)
