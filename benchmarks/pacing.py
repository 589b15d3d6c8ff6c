"""Does a stream really come at 750 tokens a second? Server in its own process, the official client outside.

    python benchmarks/pacing.py [--quick] [-o FILE]

Each row streams 1,000 tokens of the echo engine at the ultrafast tier, over loopback, and times every token where a
user would: after the client has made an object of it. Exit status 1 where the goal is missed.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from openai import AsyncOpenAI, OpenAI

TOKENS = 1000
RATE = 750.0  # tok/s, the announced speed
GOAL = 0.03  # of the rate, either way
ASK: dict[str, Any] = {"model": "gpt-5.6-sol", "service_tier": "ultrafast", "stream": True}
SERVE = "from wafer_backend.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Run:
    """One stream as its reader saw it. Seconds from the request on."""

    token_s: tuple[float, ...]
    predicted_first_s: float
    lag_s: float  # largest, as the server reports it


@dataclass(frozen=True, slots=True)
class Row:
    """A client's runs, summed up."""

    client: str
    rate_per_s: float  # median over the runs
    worst_error: float  # of the rate, over the runs
    first_late_ms: float  # first token against the emulated one, median
    server_lag_ms: float  # largest

    @property
    def met(self) -> bool:
        """Whether every run kept the goal."""
        return self.worst_error <= GOAL


class Watch:
    """Notes when each token came."""

    def __init__(self) -> None:
        self.began_s = time.perf_counter()
        self.token_s: list[float] = []
        self.info: dict[str, Any] = {}

    def see(self, event: Any) -> None:
        """Take an event of the stream as it comes."""
        if event.type == "response.output_text.delta":
            self.token_s.append(time.perf_counter() - self.began_s)
        elif event.type == "response.completed":
            self.info = event.response.time_info

    def run(self) -> Run:
        """What was seen, once the stream has ended."""
        return Run(tuple(self.token_s), self.info["prompt_time"], self.info["lag"])


@contextmanager
def server() -> Iterator[str]:
    """`wafer serve` in a process of its own; its URL."""
    command = [sys.executable, "-c", SERVE, "serve", "--engine", "echo", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            banner = process.stderr.readline() if process.stderr else ""
            found = re.search(r"http://\S+", banner)
            if found is None:
                raise SystemExit(f"the server did not start: {banner.strip()}")
            yield found[0]
        finally:
            process.terminate()


def with_sync(url: str, tokens: list[int]) -> list[Run]:
    runs = []
    with OpenAI(base_url=url, api_key="unused", max_retries=0) as client:
        for count in tokens:
            watch = Watch()
            for event in client.responses.create(input=str(count), **ASK):
                watch.see(event)
            runs.append(watch.run())
    return runs


def with_async(url: str, tokens: list[int]) -> list[Run]:
    async def main() -> list[Run]:
        runs = []
        async with AsyncOpenAI(base_url=url, api_key="unused", max_retries=0) as client:
            for count in tokens:
                watch = Watch()
                async for event in await client.responses.create(input=str(count), **ASK):
                    watch.see(event)
                runs.append(watch.run())
        return runs

    return asyncio.run(main())


def measure(name: str, client: Callable[[str, list[int]], list[Run]], url: str, rounds: int) -> Row:
    _, *runs = client(url, [10] + [TOKENS] * rounds)  # the first opens the connection
    rates = [(TOKENS - 1) / (run.token_s[-1] - run.token_s[0]) for run in runs]
    return Row(
        client=name,
        rate_per_s=median(rates),
        worst_error=max(abs(rate / RATE - 1) for rate in rates),
        first_late_ms=1e3 * median(run.token_s[0] - run.predicted_first_s for run in runs),
        server_lag_ms=1e3 * max(run.lag_s for run in runs),
    )


def table(rows: list[Row]) -> str:
    head = f"{'client':8} {'tok/s':>8} {'goal':>8} {'worst error':>12} {'goal':>7} {'1st late':>9} {'lag max':>9}"
    return "\n".join([head, *map(line, rows)])


def line(row: Row) -> str:
    return (
        f"{row.client:8} {row.rate_per_s:8.1f} {RATE:8.1f} {row.worst_error:12.2%} {GOAL:7.0%}"
        f" {row.first_late_ms:6.2f} ms {row.server_lag_ms:6.2f} ms  {'met' if row.met else 'MISSED'}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round instead of five")
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    rounds = 1 if options.quick else 5
    with server() as url:
        rows = [measure(name, run, url, rounds) for name, run in (("sync", with_sync), ("async", with_async))]
    print(table(rows))
    if options.output:
        figures = [asdict(row) | {"met": row.met} for row in rows]
        result = {"tokens": TOKENS, "rounds": rounds, "goal_error": GOAL, "rows": figures}
        options.output.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
