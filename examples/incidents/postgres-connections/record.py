"""Record an incident from a real PostgreSQL: one service leaks sessions until nobody else can connect.

    python examples/incidents/postgres-connections/record.py [-o DIR] [--quick]

Starts a private server on loopback (Debian's `postgresql` package), plays four clients against it, and writes `bundle/`
and `expected.json` below DIR (default: beside this file). Only its own server is stopped, by pid, whatever happens.
"""

import argparse
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from recording import Metrics, ServiceLog, alertmanager, calls, expected, iso, utc_now, write_json

MAX_CONNECTIONS, RESERVED = 30, 3
SERVICES = ("checkout-api", "inventory-worker", "metrics-exporter", "report-scheduler", "postgres")
PLANTED = "pl4nted-s3cret"  # a password in a log line, as really happens: redaction must catch it
SETTINGS = {
    "max_connections": MAX_CONNECTIONS,
    "superuser_reserved_connections": RESERVED,
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
    "log_connections": "on",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "lc_messages": "C",
    "log_line_prefix": "%m [%p] %q%u@%d %a ",
    "fsync": "off",
}
SCHEMA = """
CREATE ROLE checkout LOGIN; CREATE ROLE inventory LOGIN; CREATE ROLE reports LOGIN; CREATE ROLE analyst LOGIN;
CREATE TABLE orders (id serial PRIMARY KEY, sku text, placed_at timestamptz DEFAULT now());
CREATE TABLE stock (sku text PRIMARY KEY, units int);
CREATE TABLE payroll (name text);
INSERT INTO stock SELECT 'sku-' || n, 100 FROM generate_series(1, 50) n;
INSERT INTO orders (sku) SELECT 'sku-' || (n % 50 + 1) FROM generate_series(1, 500) n;
GRANT SELECT, INSERT, UPDATE ON orders, stock TO checkout, inventory; GRANT SELECT ON orders, stock TO reports, analyst;
GRANT USAGE ON SEQUENCE orders_id_seq TO checkout;
"""
SESSIONS = "FROM pg_stat_activity WHERE backend_type = 'client backend'"
COMMANDS = (
    'psql -c "SHOW max_connections"',
    f'psql -c "SELECT application_name, state, count(*) {SESSIONS} GROUP BY 1, 2 ORDER BY 3 DESC"',
    f'psql -c "SELECT pid, usename, application_name, state, xact_start, left(query, 48) AS query {SESSIONS} ORDER BY 5"',
    "psql -c \"SELECT numbackends, xact_commit, xact_rollback, deadlocks FROM pg_stat_database WHERE datname = 'shop'\"",
    'psql -c "SELECT pid, locktype, mode, granted FROM pg_locks WHERE NOT granted"',
    "pg_isready",
)


@dataclass(frozen=True, slots=True)
class Phases:
    """How long each part of the story lasts, in seconds."""

    normal_s: float = 25.0
    between_leaks_s: float = 0.7
    refused_s: float = 20.0


QUICK = Phases(normal_s=3.0, between_leaks_s=0.1, refused_s=3.0)


@dataclass(slots=True)
class Server:
    """A private PostgreSQL. `env` is what clients need to reach it."""

    bin: Path
    port: int
    env: dict[str, str]
    log: Path
    sessions: list["subprocess.Popen[str]"] = field(default_factory=list)

    def query(self, sql: str, user: str, application: str) -> tuple[bool, str]:
        """One short session: whether it worked, and what psql printed."""
        done = subprocess.run(
            [self.bin / "psql", "-X", "-q", "-At", "-d", "shop", "-c", sql],
            env={**self.env, "PGUSER": user, "PGAPPNAME": application},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.returncode == 0, (done.stdout or done.stderr).strip()

    def leak(self, sql: str, user: str, application: str) -> None:
        """A session that begins a transaction and is never given back."""
        session = subprocess.Popen(
            [self.bin / "psql", "-X", "-q", "-d", "shop"],
            env={**self.env, "PGUSER": user, "PGAPPNAME": application},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.sessions.append(session)
        assert session.stdin is not None
        session.stdin.write(f"BEGIN; {sql};\n")
        session.stdin.flush()

    def recorded(self, command: str) -> str:
        """What an on-call person's command prints now; the superuser still has reserved slots."""
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**self.env, "PGUSER": "postgres", "PGDATABASE": "shop", "PATH": f"{self.bin}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.stdout + done.stderr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--quick", action="store_true", help="a shorter story, for tests")
    args = parser.parse_args()
    binaries = postgres_binaries()
    if binaries is None:
        sys.exit("no PostgreSQL server found; install Debian's package `postgresql`")
    phases = QUICK if args.quick else Phases()
    with tempfile.TemporaryDirectory(prefix="incident-") as folder, server(binaries, Path(folder)) as running:
        story = Story(running, Path(folder), phases)
        story.play()
        story.write(args.output)
    sys.stderr.write(f"recorded {args.output / 'bundle'}\n")


def postgres_binaries() -> Path | None:
    """The newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def server(binaries: Path, folder: Path) -> Iterator[Server]:
    """The server while it runs; it refuses root, so as root it runs as `postgres`."""
    as_user: list[str | Path] = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    data, log, port = folder / "data", folder / "server.log", free_port()

    def quietly(command: Sequence[str | Path], **more: str) -> None:
        subprocess.run(command, env=env | more, check=True, stdout=subprocess.DEVNULL, cwd=folder)

    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PGHOST": "127.0.0.1", "PGPORT": str(port), "TZ": "UTC"}
    initdb: list[str | Path] = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    quietly([*as_user, *initdb])
    with (data / "postgresql.conf").open("a", encoding="utf-8") as config:
        config.writelines(f"{name} = '{value}'\n" for name, value in {**SETTINGS, "port": port}.items())
    control = [*as_user, binaries / "pg_ctl", "-D", data]
    quietly([*control, "-l", log, "-w", "start"])
    running = Server(binaries, port, env, log)
    try:
        quietly([binaries / "createdb", "shop"], PGUSER="postgres")
        quietly([binaries / "psql", "-X", "-q", "-d", "shop", "-c", SCHEMA], PGUSER="postgres")
        yield running
    finally:
        for session in running.sessions:
            session.kill()
            session.wait()
        quietly([*control, "-m", "immediate", "stop"])


def free_port() -> int:
    """5432 if nobody has it, else any."""
    for wanted in (5432, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
            try:
                probe.bind(("127.0.0.1", wanted))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no free port on loopback")


class Story:
    """What happens: everybody is well, one service leaks, everybody else is refused."""

    def __init__(self, running: Server, folder: Path, phases: Phases) -> None:
        self.server, self.phases = running, phases
        self.logs = folder / "logs"
        self.metrics, self.errors = Metrics(), Counter[str]()
        self.over = threading.Event()
        self.checkout = ServiceLog(self.logs / "checkout-api.log", "checkout-api", "python")
        self.inventory = ServiceLog(self.logs / "inventory-worker.log", "inventory-worker", "json")
        self.exporter = ServiceLog(self.logs / "metrics-exporter.log", "metrics-exporter", "logfmt")
        self.reports = ServiceLog(self.logs / "report-scheduler.log", "report-scheduler", "json")
        self.refused_at: datetime | None = None
        self.outputs: dict[str, str] = {}

    def play(self) -> None:
        """The whole story, in real time."""
        url = f"postgresql://checkout:{PLANTED}@127.0.0.1:{self.server.port}/shop"
        self.checkout.write("INFO", f"connecting to {url}")
        parts = (self._checkouts, self._stocktaking, self._exports, self._analyst, self._sample)
        players = [threading.Thread(target=part, daemon=True) for part in parts]
        for player in players:
            player.start()
        try:
            time.sleep(self.phases.normal_s)
            self._leak_until_full()
            time.sleep(self.phases.refused_s / 2)
            self.outputs = {command: self.server.recorded(command) for command in COMMANDS}
            time.sleep(self.phases.refused_s / 2)
        finally:
            self.over.set()
            for player in players:
                player.join(timeout=25)

    def _every(self, seconds: float) -> Iterator[int]:
        for number in itertools.count(1):
            if self.over.wait(seconds):
                return
            yield number

    def _leak_until_full(self) -> None:
        """The culprit says nothing that sounds like trouble: it believes that it is working."""
        for number in itertools.count(1):
            sql = f"SELECT sku, count(*) FROM orders WHERE id > {number} GROUP BY sku"
            self.reports.write("INFO", f"starting report {number}: daily sales by sku")
            self.server.leak(sql, "reports", "report-scheduler")
            time.sleep(self.phases.between_leaks_s)
            if self.refused_at or number > MAX_CONNECTIONS + 10:
                return

    def _checkouts(self) -> None:
        for number in self._every(0.25):
            sku = f"sku-{number % 50 + 1}"
            worked, said = self.server.query(f"INSERT INTO orders (sku) VALUES ('{sku}')", "checkout", "checkout-api")
            if worked:
                self.checkout.write("INFO", f"order {number} placed for {sku}")
            else:
                self._refused("checkout-api")
                self.checkout.write("ERROR", f"order {number} failed, retrying is up to the customer", said)

    def _stocktaking(self) -> None:
        for number in self._every(0.6):
            sql = f"UPDATE stock SET units = units - 1 WHERE sku = 'sku-{number % 50 + 1}'"
            worked, said = self.server.query(sql, "inventory", "inventory-worker")
            if worked:
                self.inventory.write("INFO", f"stock adjusted, batch {number}")
            else:
                self._refused("inventory-worker")
                self.inventory.write("ERROR", f"batch {number} not applied", said)

    def _exports(self) -> None:
        for number in self._every(1.5):
            worked, said = self.server.query("SELECT count(*) FROM orders", "inventory", "metrics-exporter")
            if worked:
                self.exporter.write("INFO", f"scrape {number} ok")
            else:
                self._refused("metrics-exporter")
                self.exporter.write("WARN", f"scrape {number} failed", said)

    def _analyst(self) -> None:
        """Noise that was there all along: louder than the cause, and none of its business."""
        wrong = ("SELECT totl FROM orders", "SELECT * FROM payroll", "SELEC 1")
        for number in self._every(0.9):
            self.server.query(wrong[number % 3], "analyst", "psql")
            if number % 12 == 0:
                self.server.query("CHECKPOINT", "postgres", "monitoring")

    def _sample(self) -> None:
        """Each second: sessions by state and application, commits, what clients were refused."""
        by_state = f"SELECT coalesce(state, 'none'), count(*) {SESSIONS} GROUP BY 1"
        by_application = f"SELECT application_name, count(*) {SESSIONS} GROUP BY 1"
        for _ in self._every(1.0):
            states, owners = self._table(by_state), self._table(by_application)
            commits = self._table(
                "SELECT 'xact_commit_total', xact_commit FROM pg_stat_database WHERE datname = 'shop'"
            )
            named = {f"connections_{state.replace(' ', '_')}": n for state, n in states.items()}
            self.metrics.add(
                "postgres",
                {"connections": sum(states.values()), "max_connections": MAX_CONNECTIONS, **named, **commits},
            )
            for service in SERVICES[:4]:
                held = owners.get(service, 0.0)
                self.metrics.add(service, {"connections": held, "errors_total": float(self.errors[service])})

    def _table(self, sql: str) -> dict[str, float]:
        _, text = self.server.query(sql, "postgres", "monitoring")
        pairs = (line.rsplit("|", 1) for line in text.splitlines() if "|" in line)
        return {name: float(value) for name, value in pairs}

    def _refused(self, service: str) -> None:
        self.errors[service] += 1
        self.refused_at = self.refused_at or utc_now()

    def write(self, output: Path) -> None:
        """The bundle, and the answer beside it."""
        if self.refused_at is None:
            sys.exit("nobody was refused: the server never ran out of connections; nothing was written")
        bundle = output / "bundle"
        shutil.rmtree(bundle, ignore_errors=True)
        shutil.copytree(self.logs, bundle / "logs")
        shutil.copyfile(self.server.log, bundle / "logs" / "postgres.log")
        self.metrics.write(bundle / "metrics" / "postgres.csv")
        write_json(bundle / "commands.json", self.outputs)
        write_json(bundle / "topology.json", calls(*((service, "postgres") for service in SERVICES[:4])))
        summary = "checkout-api fails more than 5 % of its orders"
        write_json(bundle / "alert.json", alertmanager("CheckoutErrors", "checkout-api", summary, self.refused_at))
        write_json(bundle / "incident.json", self._incident())
        write_json(output / "expected.json", answer())

    def _incident(self) -> dict[str, object]:
        return {
            "title": "Orders fail: checkout-api returns errors since a few moments ago",
            "started_at": iso(self.refused_at) if self.refused_at else None,
            "services": list(SERVICES),
            "namespace": None,
            "context": "No deploy is known. Customers report that placing an order fails.",
        }


def answer() -> dict[str, Any]:
    """What a right report says."""
    return expected(
        id="ex-postgres-connections",
        component=["report-scheduler"],
        candidates=len(SERVICES),
        label="postgres-connections-exhausted",
        category="resource_exhaustion",
        keywords=[["report-scheduler"], ["connection", "session", "slot"], ["idle", "leak", "give them back", "holds"]],
        forbidden=["analyst", "syntax error"],
        notes="a real PostgreSQL, driven out of connections by record.py",
    )


if __name__ == "__main__":
    main()
