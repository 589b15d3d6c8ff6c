"""Record an incident from a real PostgreSQL: one service leaks sessions until nobody else can connect.

    python examples/incidents/postgres-connections/record.py [-o DIR] [--quick]

Starts a private server on loopback (Debian's `postgresql` package), plays its clients against it, and writes `bundle/`
and `expected.json` below DIR (default: beside this file). Only its own server is stopped, by pid, whatever happens.
"""

import argparse
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from private_postgres import Server, installed, options, server
from stage import Alert, Stage, Told, main

MAX_CONNECTIONS, RESERVED = 30, 3
CLIENTS = ("checkout-api", "inventory-worker", "metrics-exporter", "report-scheduler")
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
    "checkpoint_timeout": "30s",  # so that one falls, slow and innocent, into the minute of the leak
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
SAMPLE = f"""
SELECT 'state', coalesce(state, 'none'), count(*) {SESSIONS} GROUP BY 2
UNION ALL SELECT 'client', application_name, count(*) {SESSIONS} GROUP BY 2
UNION ALL SELECT 'commits', '', xact_commit FROM pg_stat_database WHERE datname = 'shop'
"""
AD_HOC = (  # the analyst's, all day long
    "SELECT totl FROM orders",
    "SELECT * FROM payroll",
    "SELEC 1",
    "BEGIN; SELECT 1; BEGIN; COMMIT",
)


@dataclass(frozen=True, slots=True)
class Phases:
    """How long each part of the story lasts, in seconds."""

    normal_s: float = 28.0
    between_reports_s: float = 4.0
    between_leaks_s: float = 0.8
    refused_s: float = 20.0


QUICK = Phases(normal_s=3.0, between_reports_s=1.0, between_leaks_s=0.1, refused_s=3.0)


class Story:
    """What happens: everybody is well, one service leaks, everybody else is refused."""

    def __init__(self, running: Server, stage: Stage) -> None:
        self.server, self.stage, self.phases = running, stage, QUICK if stage.quick else Phases()
        dialects = ("python", "json", "logfmt", "json")
        self.log = {client: stage.log(client, dialect) for client, dialect in zip(CLIENTS, dialects, strict=True)}
        self.refused = threading.Event()

    def play(self) -> None:
        """The whole story, in real time."""
        url = f"postgresql://checkout:{PLANTED}@127.0.0.1:{self.server.port}/shop"
        self.log["checkout-api"].write("INFO", f"connecting to {url}")
        self.server.keep_open("LISTEN price_changes", "checkout", "checkout-api")
        self.server.keep_open("LISTEN stock_changes", "inventory", "inventory-worker")
        for client in CLIENTS:
            self.stage.count(client, errors_total=0)
        watched = partial(self.stage.sample, self._watched)
        with self.stage.playing(self._checkouts, self._stocktaking, self._exports, self._analyst, watched):
            self._leak(first=self._reports())
            self.stage.over.wait(self.phases.refused_s / 2)
            self.stage.record(COMMANDS, self.server.recorded)
            self.stage.over.wait(self.phases.refused_s / 2)

    def _reports(self) -> int:
        """The culprit while it is well: each report gives its session back. Returns the next report's number."""
        leaks_at = time.monotonic() + self.phases.normal_s
        for number in self.stage.every(self.phases.between_reports_s):
            if time.monotonic() > leaks_at:
                return number
            self._start(number)
            _, rows = self.server.query(_report(number), "reports", "report-scheduler")
            self.log["report-scheduler"].write("INFO", f"finished report {number}: {len(rows.splitlines())} rows")
        return 0

    def _leak(self, first: int) -> None:
        """The culprit afterwards. It says nothing that sounds like trouble: it believes that it is working."""
        for number in range(first, first + MAX_CONNECTIONS + 10):
            self._start(number)
            self.server.keep_open(f"BEGIN; {_report(number)}", "reports", "report-scheduler")
            if self.refused.wait(self.phases.between_leaks_s):
                return

    def _start(self, number: int) -> None:
        self.log["report-scheduler"].write("INFO", f"starting report {number}: daily sales by sku")

    def _checkouts(self) -> None:
        log = self.log["checkout-api"]
        for number in self.stage.every(0.35):
            sku = f"sku-{number % 50 + 1}"
            for attempt in (1, 2):
                worked, said = self._tried("checkout-api", "checkout", f"INSERT INTO orders (sku) VALUES ('{sku}')")
                if worked:
                    log.write("INFO", f"order {number} placed for {sku}")
                    break
                if attempt == 1:
                    log.write("WARNING", f"order {number} not placed, trying once more in 150 ms")
                    self.stage.over.wait(0.15)
            else:
                log.write("ERROR", f"order {number} failed after 2 attempts", said)

    def _stocktaking(self) -> None:
        log = self.log["inventory-worker"]
        for number in self.stage.every(0.8):
            sql = f"UPDATE stock SET units = units - 1 WHERE sku = 'sku-{number % 50 + 1}'"
            worked, said = self._tried("inventory-worker", "inventory", sql)
            if worked:
                log.write("INFO", f"stock adjusted, batch {number}")
            else:
                log.write("ERROR", f"batch {number} not applied", said)

    def _exports(self) -> None:
        log = self.log["metrics-exporter"]
        for number in self.stage.every(1.5):
            worked, said = self._tried("metrics-exporter", "inventory", "SELECT count(*) FROM orders")
            if worked:
                log.write("INFO", f"scrape {number} ok")
            else:
                log.write("WARN", f"scrape {number} failed", said)

    def _tried(self, client: str, user: str, sql: str) -> tuple[bool, str]:
        worked, said = self.server.query(sql, user, client)
        if not worked:
            self.stage.count(client, errors_total=1)
            self.refused.set()
        return worked, said

    def _analyst(self) -> None:
        """Noise that was there all along: louder than the cause, and none of its business."""
        for number in self.stage.every(0.9):
            self.server.query(AD_HOC[number % len(AD_HOC)], "analyst", "psql")

    def _watched(self) -> dict[str, dict[str, float]]:
        """Sessions by state and by client, and commits."""
        _, text = self.server.query(SAMPLE, "postgres", "monitoring")
        counts = Counter[tuple[str, str]]()
        for line in text.splitlines():
            kind, name, value = line.split("|")
            counts[kind, name] = int(value)
        by_client: dict[str, dict[str, float]] = {c: {"connections": counts["client", c]} for c in CLIENTS}
        return {"postgres": _of_the_server(counts)} | by_client


def _report(number: int) -> str:
    return f"SELECT sku, count(*) FROM orders WHERE id > {number} GROUP BY sku"


def _of_the_server(counts: Counter[tuple[str, str]]) -> dict[str, float]:
    """Every state in every sample, so that the normal window shows what the incident departs from."""
    states = ("active", "idle", "idle in transaction")
    by_state = {f"connections_{s.replace(' ', '_')}": counts["state", s] for s in states}
    total = sum(n for (kind, _), n in counts.items() if kind == "state")
    commits = counts["commits", ""]
    return {"connections": total, "max_connections": MAX_CONNECTIONS, **by_state, "xact_commit_total": commits}


TOLD = Told(
    name="postgres-connections",
    title="Orders fail: checkout-api returns errors since a few moments ago",
    context="No deploy is known. Customers report that placing an order fails.",
    services=(*CLIENTS, "postgres"),
    alert=Alert("CheckoutErrors", "checkout-api", "checkout-api fails more than 5 % of its orders"),
    calls=tuple((client, "postgres") for client in CLIENTS),
    metrics="postgres",
    answer={
        "task": "component",
        "component": ["report-scheduler", "report_scheduler", "report scheduler"],
        "label": "postgres-connections-exhausted",
        "category": "resource_exhaustion",
        "keywords": [
            ["report-scheduler"],
            ["connection", "session", "slot"],
            ["idle", "leak", "give them back", "holds"],
        ],
        "forbidden": ["analyst", "syntax error", "permission denied", "checkpoint"],
        "notes": "a real PostgreSQL, driven out of connections by record.py",
    },
)


def play(stage: Stage, args: argparse.Namespace) -> None:
    """Play the story on a server of its own."""
    with server(installed(args.postgres), stage.folder, stage.logs / "postgres.log", SETTINGS, SCHEMA) as running:
        Story(running, stage).play()


if __name__ == "__main__":
    main(TOLD, play, Path(__file__).resolve().parent, options())
