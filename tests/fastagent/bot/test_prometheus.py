"""A Prometheus played by an httpx2 transport."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx2
import pytest

from fastagent.bot.prometheus import MAX_ANSWER_BYTES, Prometheus, Window
from fastagent.state import Gap

WINDOW = Window(1_000.0, 4_600.0)
SERIES = [
    {"__name__": "up", "service": "web"},
    {"__name__": "http_requests_total", "app": "web", "code": "500"},
    {"__name__": "latency_seconds_bucket", "service": "web"},
    {"__name__": "ALERTS", "service": "web"},
]


class Played(httpx2.AsyncBaseTransport):
    """Answers `series` with the given ones and every range query with one result; `broken` is sent instead."""

    def __init__(self, series: Any = SERIES, broken: dict[str, Any] | None = None) -> None:
        self.series, self.broken, self.queries = series, broken or {}, list[str]()
        self.requests: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        endpoint = request.url.path.rsplit("/", 1)[-1]
        if (broken := self.broken.get(endpoint)) is not None:
            if isinstance(broken, Exception):
                raise broken
            return httpx2.Response(*broken) if isinstance(broken, tuple) else httpx2.Response(200, content=broken)
        if endpoint == "series":
            return httpx2.Response(200, json={"status": "success", "data": self.series})
        (query,) = parse_qs(request.url.query.decode())["query"]
        self.queries.append(query)
        result = [{"metric": {"code": "500"}, "values": [[1000, "1"], [1015, "2"]]}]
        return httpx2.Response(200, json={"status": "success", "data": {"resultType": "matrix", "result": result}})


async def record(played: Played, folder: Path, *services: str) -> list[Gap]:
    async with httpx2.AsyncClient(transport=played) as client:
        return await Prometheus("http://prom.invalid/", client).record(services or ("web",), WINDOW, folder, 10.0)


def names(folder: Path) -> list[str]:
    return sorted(f.name for f in folder.iterdir())


async def test_each_telling_metric_is_recorded_as_the_api_answers(tmp_path: Path) -> None:
    played = Played()
    assert await record(played, tmp_path) == []
    assert names(tmp_path) == ["live-http_requests_total_rate5m.json", "live-up.json"]
    told = json.loads((tmp_path / "live-up.json").read_text())
    assert (told["status"], told["data"]["resultType"]) == ("success", "matrix")
    assert told["data"]["result"][0]["metric"] == {"__name__": "up", "code": "500"}
    assert told["data"]["result"][0]["values"][1] == [1015, "2"]


async def test_counters_are_asked_for_as_rates_and_all_is_read_only(tmp_path: Path) -> None:
    played = Played()
    await record(played, tmp_path)
    assert sorted(played.queries) == [
        'rate({__name__="http_requests_total",app="web"}[5m])',
        '{__name__="up",service="web"}',
    ]
    assert {r.method for r in played.requests} == {"GET"}
    assert {r.url.path for r in played.requests} == {"/api/v1/series", "/api/v1/query_range"}


async def test_a_service_name_cannot_break_out_of_its_quotes(tmp_path: Path) -> None:
    name = '"} or vector(1) or {a="'
    played = Played([{"__name__": "up", "service": name}])
    await record(played, tmp_path, name)
    assert played.queries == [r'{__name__="up",service="\"} or vector(1) or {a=\""}']


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"series": httpx2.ConnectError("no route")}, "unreadable"),
        ({"series": (503,)}, "unreadable"),
        ({"series": b"{"}, "unreadable"),
        ({"series": b"[]"}, "unreadable"),
        ({"series": b'{"status": "success", "data": [7, {"__name__": 8}]}'}, "absent"),
        ({"series": b'{"status": "error"}'}, "unreadable"),
        ({"series": b" " * (MAX_ANSWER_BYTES + 1)}, "unreadable"),
    ],
)
async def test_whatever_goes_wrong_is_a_gap(tmp_path: Path, broken: dict[str, Any], reason: str) -> None:
    gaps = await record(Played(broken=broken), tmp_path)
    assert [g.reason for g in gaps] == [reason]


@pytest.mark.parametrize("answer", [b"x", b"{}", b'{"status": "success", "data": null}'])
async def test_a_metric_that_fails_costs_only_itself(tmp_path: Path, answer: bytes) -> None:
    gaps = await record(Played(broken={"query_range": answer}), tmp_path)
    assert len(gaps) in (0, 2)


async def test_no_series_is_an_absent_gap(tmp_path: Path) -> None:
    assert [g.reason for g in await record(Played([]), tmp_path)] == ["absent"]


@pytest.mark.virtual
async def test_a_server_that_hangs_costs_its_limit_and_no_more(tmp_path: Path) -> None:
    import asyncio

    class Hanging(Played):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            await asyncio.sleep(3_600)
            raise AssertionError

    assert await record(Hanging(), tmp_path) == [Gap("prometheus", "timeout")]
    assert asyncio.get_running_loop().time() == pytest.approx(10.0)


def test_the_window_leads_up_to_the_start_and_never_past_now() -> None:
    assert Window.around(10_000.0, 10_060.0) == Window(6_400.0, 10_060.0)
    assert Window.around(10_000.0, 99_000.0) == Window(6_400.0, 11_800.0)
    assert Window.around(None, 10_000.0) == Window(6_400.0, 10_000.0)
    assert Window.around(20_000.0, 10_000.0).end == 10_000.0
    assert Window.around(10_000.0, 10_060.0).step_s == 15
