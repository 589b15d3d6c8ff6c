"""Record an incident from a real Redis used as a queue: its worker hangs on one job, and the queue grows.

    python examples/incidents/redis-queue-backlog/record.py [-o DIR] [--quick]

A private server on loopback (Debian's `redis-server` package). Two services put jobs into a list; one worker takes them
and waits for ever for an answer that does not come. The other worker, of another list, fails on odd pictures as always.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from private_redis import Client, redis
from processes import program, shell
from stage import Alert, Stage, Told, main

CLIENTS = ("shop-api", "returns-api", "receipt-worker", "thumbnail-worker")
COMMANDS = (
    "redis-cli LLEN receipts",
    "redis-cli LLEN thumbnails",
    "redis-cli LRANGE receipts -3 -1",
    "redis-cli CLIENT LIST",
    "redis-cli INFO commandstats",
    "redis-cli INFO memory",
    "redis-cli PING",
)
LATE_AFTER = 12  # jobs before ours: then a customer waits too long


class Story:
    """What happens: jobs are taken as fast as they come, one worker hangs, its list grows."""

    def __init__(self, port: int, stage: Stage) -> None:
        self.port, self.stage = port, stage
        dialects = ("json", "logfmt", "python", "json")
        self.log = {c: stage.log(c, d, "jobs") for c, d in zip(CLIENTS, dialects, strict=True)}
        self.hangs = False
        for client in CLIENTS:
            stage.count(client, requests_total=0, errors_total=0, duration_ms_total=0)

    def play(self) -> None:
        """The whole story, in real time."""
        shop = partial(self._producer, "shop-api", "receipts", 0.35)
        returns = partial(self._producer, "returns-api", "receipts", 1.1)
        watched = partial(self.stage.sample, self._watched)
        parts = (shop, returns, self._receipts, self._thumbnails, self._pictures, watched)
        with self.stage.playing(*parts):
            self.stage.wait(26, 2.5)
            self.hangs = True
            self.stage.alerted.wait(timeout=40)
            self.stage.wait(14, 0.4)
            self.stage.record(COMMANDS, lambda command: shell(command, redis_cli=f"-p {self.port}"))
            self.stage.wait(8, 1.1)

    def _producer(self, name: str, queue: str, seconds: float) -> None:
        """Puts jobs in, and complains where those before it are too many."""
        late_after = LATE_AFTER if not self.stage.quick else 2
        with Client(self.port, name) as client:
            for number in self.stage.every(seconds):
                began = time.monotonic()
                ahead = int(client.do("RPUSH", queue, f"order-{number}"))
                late = ahead > late_after
                self.stage.request(name, not late, (time.monotonic() - began) * 1000)
                said = f"receipt of order {number} is late: {ahead} jobs ahead" if late else f"order {number} placed"
                self.log[name].write("ERROR" if late else "INFO", said)

    def _receipts(self) -> None:
        """The culprit. It has taken one more job when it stops, and says nothing any more."""
        log = self.log["receipt-worker"]
        with Client(self.port, "receipt-worker") as client:
            for number in self.stage.every(0.12):
                if self.hangs:
                    log.write("INFO", f"job {number}: asking the printer for a signature, waiting for its answer")
                    self.stage.over.wait()
                    return
                job = client.do("LPOP", "receipts")
                if job.startswith("order"):
                    self.stage.request("receipt-worker", True, 40.0)
                    log.write("INFO", f"receipt of {job} sent")

    def _pictures(self) -> None:
        with Client(self.port, "catalog") as client:
            for number in self.stage.every(0.8):
                client.do("RPUSH", "thumbnails", f"picture-{number}")

    def _thumbnails(self) -> None:
        """Noise that was there all along: one picture in seven is broken."""
        log = self.log["thumbnail-worker"]
        with Client(self.port, "thumbnail-worker") as client:
            for number in self.stage.every(0.25):
                job = client.do("LPOP", "thumbnails")
                if job.startswith("picture"):
                    broken = number % 7 == 0
                    self.stage.request("thumbnail-worker", not broken, 25.0)
                    log.write(
                        "ERROR" if broken else "INFO", f"{job}: {'cannot identify image' if broken else 'scaled'}"
                    )

    def _watched(self) -> dict[str, dict[str, float]]:
        with Client(self.port, "monitoring") as client:
            lengths = {f"queue_length_{name}": float(client.do("LLEN", name)) for name in ("receipts", "thumbnails")}
        return {"redis": lengths}


TOLD = Told(
    name="redis-queue-backlog",
    title="Customers wait for their receipts",
    context="Orders are placed as fast as ever. Redis answers PING.",
    services=(*CLIENTS, "redis"),
    alert=Alert("ReceiptsLate", "shop-api", "receipts of shop-api are late", after_errors=3),
    calls=(*((client, "redis") for client in CLIENTS),),
    answer={
        "task": "component",
        "component": ["receipt-worker", "receipt_worker", "receipt worker"],
        "label": "queue-backlog",
        "category": "resource_exhaustion",
        "keywords": [["receipt-worker", "receipts"], ["queue", "backlog", "jobs"]],
        "forbidden": ["cannot identify image", "thumbnail"],
        "notes": "a real Redis; the worker of one list hangs in record.py",
    },
)


def play(stage: Stage, _: argparse.Namespace) -> None:
    """Play the story on a server of its own."""
    program("redis-cli", "redis-tools")
    with redis(stage.folder, stage.logs / "redis.log", "--save", "") as port:
        Story(port, stage).play()


if __name__ == "__main__":
    main(TOLD, play, Path(__file__).resolve().parent)
