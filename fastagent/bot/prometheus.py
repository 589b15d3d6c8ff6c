"""Live metrics: read-only range queries for the services of an incident, recorded as Prometheus answers them.

One file a metric, so that the tools that read recorded metrics read these too. Counters are asked for as rates, under
the name `metric:rate5m` as recording rules have it.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import orjson

from fastagent.state import Gap

KEYS = ("service", "app", "job", "deployment", "container", "pod", "instance", "host")  # labels that may hold a service
MAX_SERVICES = 5
MAX_METRICS = 80
MAX_ANSWER_BYTES = 16 * 2**20
AT_ONCE = 4  # a Prometheus in trouble is not to be hammered
BEFORE_S, AFTER_S = 3600.0, 1800.0
POINTS = 240
SOURCE = "prometheus"


@dataclass(frozen=True, slots=True)
class Window:
    """What time to ask for: Unix seconds."""

    start: float
    end: float

    @classmethod
    def around(cls, started_at: float | None, now: float) -> "Window":
        """From an hour before the start until now, or half an hour after it where that is long ago."""
        began = now if started_at is None else min(started_at, now)
        return cls(began - BEFORE_S, min(now, began + AFTER_S))

    @property
    def step_s(self) -> int:
        """Seconds between points."""
        return max(5, round((self.end - self.start) / POINTS))


class Prometheus:
    """A server that is asked. Whatever goes wrong is a gap."""

    def __init__(self, base_url: str, client: httpx2.AsyncClient) -> None:
        self._base_url, self._client = base_url.rstrip("/"), client
        self._turnstile = asyncio.Semaphore(AT_ONCE)

    async def record(self, services: Sequence[str], window: Window, folder: Path, limit_s: float) -> list[Gap]:
        """Write what there is about these services below `folder`, for at most so long; what is missing is told."""
        try:
            async with asyncio.timeout(limit_s):
                return await self._record(services, window, folder)
        except TimeoutError:
            return [Gap(SOURCE, "timeout")]
        except (httpx2.HTTPError, httpx2.InvalidURL, UnusableAnswerError, OSError) as error:
            return [Gap(f"{SOURCE}: {error or type(error).__name__}", "unreadable")]

    async def _record(self, services: Sequence[str], window: Window, folder: Path) -> list[Gap]:
        pairs = [(key, service) for service in services[:MAX_SERVICES] for key in KEYS]
        series = await self._series(pairs, window) if pairs else []
        names = sorted({s["__name__"] for s in series if _is_telling(s.get("__name__"))})
        if not names:
            return [Gap(f"{SOURCE}: no series of {', '.join(services) or 'any service'}", "absent")]
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        async with asyncio.TaskGroup() as tasks:
            jobs = [
                tasks.create_task(self._metric(name, _matching(name, series, pairs), window, folder))
                for name in names[:MAX_METRICS]
            ]
        gaps = [gap for job in jobs if (gap := job.result())]
        left = len(names) - MAX_METRICS
        return [*gaps, Gap(f"{SOURCE}: {left} more metrics", "too_large")] if left > 0 else gaps

    async def _series(self, pairs: Sequence[tuple[str, str]], window: Window) -> list[Mapping[str, Any]]:
        matches = [("match[]", _selector((pair,))) for pair in pairs]
        data = await self._ask("series", [*matches, ("start", f"{window.start:.3f}"), ("end", f"{window.end:.3f}")])
        found = data.get("data")
        return [s for s in found if isinstance(s, dict)] if isinstance(found, list) else []

    async def _metric(self, name: str, pairs: Sequence[tuple[str, str]], window: Window, folder: Path) -> Gap | None:
        """One metric into one file. A metric that fails costs only itself."""
        query, recorded_as = _query(name, pairs)
        asked = [("query", query), ("start", f"{window.start:.3f}"), ("end", f"{window.end:.3f}")]
        try:
            data = await self._ask("query_range", [*asked, ("step", str(window.step_s))])
            await asyncio.to_thread(_write, data, recorded_as, folder)
        except (httpx2.HTTPError, UnusableAnswerError, OSError) as error:
            return Gap(f"{SOURCE}: {name}: {error or type(error).__name__}", "unreadable")
        return None

    async def _ask(self, endpoint: str, params: Sequence[tuple[str, str]]) -> dict[str, Any]:
        url = f"{self._base_url}/api/v1/{endpoint}"
        async with self._turnstile, self._client.stream("GET", url, params=list(params)) as response:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_ANSWER_BYTES:
                    raise UnusableAnswerError("the answer is too large")
        if not response.is_success:
            raise UnusableAnswerError(f"answered {response.status_code}")
        try:
            data = orjson.loads(bytes(body))
        except ValueError:
            raise UnusableAnswerError("the answer is not JSON") from None
        if not isinstance(data, dict) or data.get("status") != "success":
            raise UnusableAnswerError("the answer is no success")
        return data


class UnusableAnswerError(Exception):
    """An answer that holds nothing for us; the message says why."""


def _write(data: Mapping[str, Any], name: str, folder: Path) -> None:
    """The answer as it came, each series under the name it was asked for: a rate has lost its own."""
    for result in _results(data):
        result["metric"]["__name__"] = name
    path = folder / f"live-{re.sub(r'[^A-Za-z0-9_-]', '_', name)[:150]}.json"
    path.write_bytes(orjson.dumps(data))


def _is_telling(name: Any) -> bool:
    """Buckets are many and say little that sum and count do not."""
    said = isinstance(name, str) and bool(name)
    return said and not name.endswith(("_bucket", "_created")) and not name.startswith("ALERTS")


def _matching(
    name: str, series: Iterable[Mapping[str, Any]], pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    own = [s for s in series if s.get("__name__") == name]
    return [(key, service) for key, service in pairs if any(s.get(key) == service for s in own)]


def _selector(pairs: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{key}={_quoted(value)}" for key, value in pairs) + "}"


def _quoted(value: str) -> str:
    """A PromQL string: JSON's escapes are among those it knows."""
    return orjson.dumps(value).decode()


def _query(name: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The query for a metric, and the name it is recorded under."""
    selectors = [_selector((("__name__", name), pair)) for pair in pairs]
    if name.endswith(("_total", "_count", "_sum")):
        return " or ".join(f"rate({s}[5m])" for s in selectors), f"{name}:rate5m"
    return " or ".join(selectors), name


def _results(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    inner = data.get("data")
    results = inner.get("result") if isinstance(inner, dict) else None
    return (
        [r for r in results if isinstance(r, dict) and isinstance(r.get("metric"), dict)]
        if isinstance(results, list)
        else []
    )
