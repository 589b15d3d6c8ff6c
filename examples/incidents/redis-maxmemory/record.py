"""Record an incident from a real Redis: one service fills it with keys that never expire, and nobody else can write.

    python examples/incidents/redis-maxmemory/record.py [-o DIR] [--quick]

A private server on loopback (Debian's `redis-server` package) with `maxmemory` and `noeviction`. The culprit loads with
CLIENT REPLY OFF, so it never sees a refusal. Another service has far more keys, all small and with a time to live.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from private_redis import Client, RedisError, redis
from processes import program, shell
from stage import Alert, Stage, Told, main

CLIENTS = ("session-store", "cart-api", "rate-limiter", "recs-builder")
SETTINGS = ("--maxmemory-policy", "noeviction", "--save", "20 1", "--slowlog-log-slower-than", 500)
LIST = "sku-0000:0.99," * 260  # one shopper's recommendations, about 3.6 kB
COMMANDS = (
    "redis-cli INFO memory",
    "redis-cli INFO keyspace",
    "redis-cli INFO stats",
    "redis-cli INFO errorstats",
    "redis-cli INFO persistence",
    "redis-cli CONFIG GET maxmemory",
    "redis-cli CONFIG GET maxmemory-policy",
    "redis-cli CLIENT LIST",
    "redis-cli SLOWLOG GET 3",
    *(f"redis-cli --scan --pattern '{prefix}:*' | wc -l" for prefix in ("sess", "cart", "rate", "reco")),
    "redis-cli MEMORY USAGE sess:7",
    "redis-cli MEMORY USAGE cart:7",
    "redis-cli MEMORY USAGE reco:7",
    "redis-cli TTL sess:7",
    "redis-cli TTL cart:7",
    "redis-cli TTL reco:7",
    "redis-cli --bigkeys",
)
WATCHED = ("used_memory", "maxmemory", "connected_clients", "evicted_keys", "expired_keys", "total_commands_processed")


class Story:
    """What happens: everybody is well, one service loads all shoppers' lists, writes of all others are refused."""

    def __init__(self, port: int, stage: Stage) -> None:
        self.port, self.stage = port, stage
        dialects = ("python", "json", "logfmt", "json")
        self.log = {c: stage.log(c, d, "cache") for c, d in zip(CLIENTS, dialects, strict=True)}
        for client in CLIENTS[:3]:
            stage.count(client, requests_total=0, errors_total=0, duration_ms_total=0)

    def play(self) -> None:
        """The whole story, in real time."""
        with Client(self.port, "session-store") as client:
            for number in range(12_000):  # what a day has left: many keys, little memory, each with an end
                client.do("SET", f"sess:{number}", f"user-{number}", "EX", 900)
        watched = partial(self.stage.sample, self._watched)
        with self.stage.playing(self._sessions, self._carts, self._limits, self._dashboard, self._publish, watched):
            self.stage.alerted.wait(timeout=90)
            self.stage.wait(12, 0.2)
            self.stage.record(COMMANDS, lambda command: shell(command, redis_cli=f"-p {self.port}"))
            self.stage.wait(8, 1.1)

    def _publish(self) -> None:
        """The culprit: small and with an end at first, then everybody's and for ever."""
        log = self.log["recs-builder"]
        with Client(self.port, "recs-builder") as client:
            client.send("CLIENT", "REPLY", "OFF")
            for batch in range(1, 7):
                log.write("INFO", f"published 40 lists, batch {batch}, segment=returning")
                for shopper in range(40):
                    client.send("SET", f"reco:{shopper}", LIST, "EX", 30)
                self.stage.wait(4.5, 0.25)
            for burst in self.stage.every(self.stage.lasts(0.12, 0.01)):
                for shopper in range(40 * burst - 40, 40 * burst):
                    client.send("SET", f"reco:{shopper}", LIST)
                if burst % 20 == 0:
                    log.write("INFO", f"published {40 * burst} lists, segment=all")

    def _sessions(self) -> None:
        self._client("session-store", 0.25, "session of user-{n} renewed", self._session)

    def _session(self, client: Client, number: int) -> None:
        client.do("SET", f"sess:{number % 200}", f"user-{number}", "EX", 900)

    def _carts(self) -> None:
        self._client("cart-api", 0.4, "cart {n} saved", self._cart)

    def _cart(self, client: Client, number: int) -> None:
        client.do("HSET", f"cart:{number % 120}", f"sku-{number % 50}", 1)
        client.do("EXPIRE", f"cart:{number % 120}", 3600)

    def _limits(self) -> None:
        self._client("rate-limiter", 0.5, "window {n} counted", self._limit)

    def _limit(self, client: Client, number: int) -> None:
        client.do("INCR", f"rate:10.0.0.{number % 30}")
        client.do("EXPIRE", f"rate:10.0.0.{number % 30}", 60)

    def _client(self, name: str, seconds: float, done: str, act: Callable[[Client, int], None]) -> None:
        log = self.log[name]
        with Client(self.port, name) as client:
            for number in self.stage.every(seconds):
                began, refusal = time.monotonic(), ""
                try:
                    act(client, number)
                except RedisError as error:
                    refusal = str(error)
                self.stage.request(name, not refusal, (time.monotonic() - began) * 1000)
                if refusal:
                    log.write("ERROR", f"not stored ({number})", refusal)
                else:
                    log.write("INFO", done.format(n=number))

    def _dashboard(self) -> None:
        """Noise that was there all along: slow, clumsy, and none of the trouble."""
        with Client(self.port, "dashboard") as client:
            for number in self.stage.every(2.0):
                try:
                    client.do("LLEN", "sess:7") if number % 2 else client.do(
                        "EVAL", "return #redis.call('KEYS', '*')", 0
                    )
                except RedisError as error:
                    self.stage.log("dashboard", "logfmt").write("WARN", "panel not drawn", str(error))

    def _watched(self) -> dict[str, dict[str, float]]:
        with Client(self.port, "monitoring") as client:
            told = dict(line.split(":", 1) for line in client.do("INFO", "all").splitlines() if ":" in line)
            keys = client.do("DBSIZE")
        return {"redis": {name: float(told[name]) for name in WATCHED} | {"keys": float(keys)}}


TOLD = Told(
    name="redis-maxmemory",
    title="Shoppers are logged out: session-store fails to save sessions",
    context="Redis answers PING. Nobody has changed its configuration for months.",
    services=(*CLIENTS, "dashboard", "redis"),
    alert=Alert("SessionErrors", "session-store", "session-store fails more than 5 % of its writes", after_errors=3),
    calls=tuple((client, "redis") for client in (*CLIENTS, "dashboard")),
    answer={
        "task": "component",
        "component": ["recs-builder", "recs_builder", "recs builder"],
        "label": "redis-maxmemory-reached",
        "category": "resource_exhaustion",
        "keywords": [["recs-builder", "reco:"], ["maxmemory", "memory"], ["noeviction", "TTL", "expire", "full"]],
        "forbidden": ["WRONGTYPE", "dashboard", "overcommit"],
        "notes": "a real Redis, filled by record.py",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story on a server of its own."""
    program("redis-cli", "redis-tools")
    limit = "8mb" if stage.quick else "24mb"
    with redis(stage.folder, stage.logs / "redis.log", "--maxmemory", limit, *SETTINGS) as port:
        Story(port, stage).play()


if __name__ == "__main__":
    main(TOLD, play, Path(__file__).resolve().parent)
