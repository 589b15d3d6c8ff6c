"""Record an incident from a real Redis: its password is rotated, and one service goes on with the old one.

    python examples/incidents/redis-password-rotated/record.py [-o DIR] [--quick]

A private server on loopback (Debian's `redis-server` package) with `requirepass`. Two services read their new password
in time. The third opens a connection for each letter with the password that it was started with. A fourth asks for keys
of the wrong type all day long.
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

OLD, NEW = "spring-4711", "summer-0815"  # of this recording only
CLIENTS = ("session-store", "cart-api", "mail-worker", "dashboard")  # of Redis; shop-web asks mail-worker
COMMANDS = (
    "redis-cli INFO stats",
    "redis-cli INFO errorstats",
    "redis-cli INFO clients",
    "redis-cli ACL LOG 3",
    "redis-cli CLIENT LIST",
    "redis-cli DBSIZE",
    "redis-cli PING",
)
WATCHED = ("connected_clients", "total_commands_processed", "used_memory", "acl_access_denied_auth")


class Story:
    """What happens: everybody is well, the password changes, and one of four does not hear of it."""

    def __init__(self, port: int, stage: Stage) -> None:
        self.port, self.stage = port, stage
        self.password = dict.fromkeys((*CLIENTS, "monitoring"), OLD)
        dialects = ("python", "json", "logfmt", "json")
        self.log = {c: stage.log(c, d, "cache") for c, d in zip(CLIENTS, dialects, strict=True)}
        self.log["shop-web"] = stage.log("shop-web", "logfmt", "http")
        for client in (*CLIENTS[:3], "shop-web"):
            stage.count(client, requests_total=0, errors_total=0, duration_ms_total=0)

    def play(self) -> None:
        """The whole story, in real time."""
        watched = partial(self.stage.sample, self._watched)
        with self.stage.playing(self._sessions, self._carts, self._letters, self._dashboard, watched):
            self.stage.wait(26, 2.2)
            self._rotate()
            self.stage.alerted.wait(timeout=20)
            self.stage.wait(12, 0.4)
            flags, secret = f"-p {self.port}", {"REDISCLI_AUTH": NEW}
            self.stage.record(COMMANDS, lambda command: shell(command, secret, redis_cli=flags))
            self.stage.wait(8, 1.1)

    def _rotate(self) -> None:
        """The change: on the server, and in the services that read their secrets anew."""
        with self._connected("monitoring") as client:
            client.do("CONFIG", "SET", "requirepass", NEW)
        for client_name in ("monitoring", "dashboard", "session-store", "cart-api"):
            self.password[client_name] = NEW
        for name in ("session-store", "cart-api"):
            self.log[name].write("INFO", "secrets read anew: redis password version 8")

    def _sessions(self) -> None:
        self._client("session-store", 0.3, "session of user-{n} renewed", ("SET", "sess:{n}", "1", "EX", "900"))

    def _carts(self) -> None:
        self._client("cart-api", 0.4, "cart {n} saved", ("HSET", "cart:{n}", "sku-1", "1"))

    def _letters(self) -> None:
        """The culprit: its password is that of the day it was started. The shop hands it the letters."""
        for number in self.stage.every(0.5):
            done, letter = "letter {n} queued", f"letter-{number}"
            worked = self._tried("mail-worker", number, done, partial(_queued, letter))
            self.stage.request("shop-web", worked, 20.0)
            said = (
                f"order {number} confirmed"
                if worked
                else f"order {number} confirmed, no letter: mail-worker answers 503"
            )
            self.log["shop-web"].write("INFO" if worked else "ERROR", said)

    def _dashboard(self) -> None:
        """Noise that was there all along."""
        log = self.log["dashboard"]
        for _ in self.stage.every(2.0):
            try:
                with self._connected("dashboard") as client:
                    client.do("LLEN", "cart:1")
            except RedisError as error:
                log.write("WARN", "panel not drawn", str(error))

    def _client(self, name: str, seconds: float, done: str, words: tuple[str, ...]) -> None:
        for number in self.stage.every(seconds):
            self._tried(name, number, done, partial(_asked, tuple(w.format(n=number % 200) for w in words)))

    def _tried(self, name: str, number: int, done: str, act: Callable[[Client], object]) -> bool:
        began, refusal = time.monotonic(), ""
        try:
            with self._connected(name) as client:
                act(client)
        except RedisError as error:
            refusal = str(error)
        self.stage.request(name, not refusal, (time.monotonic() - began) * 1000)
        if refusal:
            self.log[name].write("ERROR", f"not stored ({number})", refusal)
        else:
            self.log[name].write("INFO", done.format(n=number))
        return not refusal

    def _connected(self, name: str) -> Client:
        return Client(self.port, name, self.password[name])

    def _watched(self) -> dict[str, dict[str, float]]:
        with self._connected("monitoring") as client:
            told = dict(line.split(":", 1) for line in client.do("INFO", "all").splitlines() if ":" in line)
        return {"redis": {name: float(told[name]) for name in WATCHED if name in told}}


def _queued(letter: str, client: Client) -> None:
    client.do("RPUSH", "mail", letter)


def _asked(words: tuple[str, ...], client: Client) -> None:
    client.do(*words)


TOLD = Told(
    name="redis-password-rotated",
    title="Customers get no letters",
    context="The rotation of secrets that is planned for each first of a month was done today. Shops and carts work.",
    services=(*CLIENTS, "shop-web", "redis"),
    alert=Alert("LettersFail", "shop-web", "shop-web cannot hand over more than 5 % of its letters", after_errors=3),
    calls=(("shop-web", "mail-worker"), *((client, "redis") for client in CLIENTS)),
    answer={
        "task": "component",
        "component": ["mail-worker", "mail_worker", "mail worker"],
        "label": "credentials-rejected",
        "category": "configuration",
        "keywords": [["mail-worker"], ["WRONGPASS", "password", "AUTH", "log-in"]],
        "forbidden": ["WRONGTYPE", "out of memory"],
        "notes": "a real Redis; record.py rotated its password and left one client with the old one",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story on a server of its own."""
    program("redis-cli", "redis-tools")
    with redis(stage.folder, stage.logs / "redis.log", "--requirepass", OLD, "--save", "") as port:
        Story(port, stage).play()


if __name__ == "__main__":
    main(TOLD, play, Path(__file__).resolve().parent)
