"""Record an incident from a real PostgreSQL: a migration keeps its lock, and everybody queues behind it.

    python examples/incidents/postgres-lock-queue/record.py [-o DIR] [--quick]

A private server on loopback (Debian's `postgresql` package). One session alters a table and then sits idle in its
transaction; readers and writers of that table wait until their `statement_timeout`. An older idle transaction, a slow
report and typing errors are innocent.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from private_postgres import Server, installed, options, server
from stage import Alert, Stage, Told, main

CLIENTS = ("checkout-api", "inventory-worker", "report-scheduler", "schema-migrator")
SETTINGS = {
    "max_connections": 40,
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
    "log_lock_waits": "on",
    "deadlock_timeout": "1s",  # also how long a wait must last to be logged
    "log_timezone": "UTC",
    "timezone": "UTC",
    "lc_messages": "C",
    "log_line_prefix": "%m [%p] %q%u@%d %a ",
    "fsync": "off",
    "checkpoint_timeout": "30s",
}
SCHEMA = """
CREATE ROLE checkout LOGIN; CREATE ROLE inventory LOGIN; CREATE ROLE reports LOGIN; CREATE ROLE analyst LOGIN;
CREATE ROLE migrator LOGIN;
ALTER ROLE checkout SET statement_timeout = '1500ms'; ALTER ROLE reports SET statement_timeout = '8s';
CREATE TABLE orders (id serial PRIMARY KEY, sku text, placed_at timestamptz DEFAULT now());
CREATE TABLE stock (sku text PRIMARY KEY, units int);
CREATE TABLE schema_version (version int, applied_at timestamptz DEFAULT now());
INSERT INTO stock SELECT 'sku-' || n, 100 FROM generate_series(1, 50) n;
INSERT INTO orders (sku) SELECT 'sku-' || (n % 50 + 1) FROM generate_series(1, 5000) n;
ALTER TABLE orders OWNER TO migrator; GRANT INSERT ON schema_version TO migrator;
GRANT SELECT, INSERT ON orders TO checkout; GRANT SELECT, UPDATE ON stock TO inventory;
GRANT SELECT ON orders, stock TO reports, analyst; GRANT USAGE ON SEQUENCE orders_id_seq TO checkout;
"""
MIGRATION = "BEGIN; ALTER TABLE orders ADD COLUMN channel text DEFAULT 'web'; INSERT INTO schema_version VALUES (42)"
SESSIONS = "FROM pg_stat_activity WHERE backend_type = 'client backend'"
COMMANDS = (
    f'psql -c "SELECT application_name, state, wait_event_type, count(*) {SESSIONS} GROUP BY 1, 2, 3 ORDER BY 4 DESC"',
    (
        "psql -c \"SELECT pid, application_name, state, wait_event_type, wait_event, date_trunc('second', xact_start) AS "
        f'xact_start, pg_blocking_pids(pid) AS blocked_by, left(query, 60) AS query {SESSIONS} ORDER BY xact_start"'
    ),
    (
        'psql -c "SELECT l.pid, a.application_name, c.relname, l.mode, l.granted FROM pg_locks l JOIN pg_stat_activity a '
        "USING (pid) JOIN pg_class c ON c.oid = l.relation WHERE c.relname IN ('orders', 'stock') ORDER BY l.granted DESC, "
        '1"'
    ),
    'psql -c "SELECT pid, locktype, mode, granted FROM pg_locks WHERE NOT granted"',
    "psql -c \"SELECT numbackends, xact_commit, xact_rollback, deadlocks FROM pg_stat_database WHERE datname = 'shop'\"",
    'psql -c "SHOW max_connections"',
    "pg_isready",
)
SAMPLE = f"""
SELECT 'connections', count(*) {SESSIONS}
UNION ALL SELECT 'connections_idle_in_transaction', count(*) {SESSIONS} AND state = 'idle in transaction'
UNION ALL SELECT 'connections_active', count(*) {SESSIONS} AND state = 'active'
UNION ALL SELECT 'lock_waiters', count(*) FROM pg_locks WHERE NOT granted
UNION ALL SELECT 'xact_commit_total', xact_commit FROM pg_stat_database WHERE datname = 'shop'
UNION ALL SELECT 'deadlocks_total', deadlocks FROM pg_stat_database WHERE datname = 'shop'
"""
AD_HOC = ("SELECT unitz FROM stock", "SELECT * FROM schema_version", "SELEC 1")  # the analyst's, all day long


class Story:
    """What happens: everybody is well, a migration takes its lock and waits, whoever touches the table waits too."""

    def __init__(self, running: Server, stage: Stage) -> None:
        self.server, self.stage = running, stage
        dialects = ("python", "json", "json", "logfmt")
        self.log = {client: stage.log(client, dialect) for client, dialect in zip(CLIENTS, dialects, strict=True)}
        for client in CLIENTS[:3]:
            stage.count(client, requests_total=0, errors_total=0, duration_ms_total=0)

    def play(self) -> None:
        """The whole story, in real time."""
        self.log["schema-migrator"].write("INFO", "schema is at version 41, 1 migration to apply")
        writers = [partial(self._checkouts, number) for number in range(3)]
        watched = partial(self.stage.sample, self._watched)
        with self.stage.playing(*writers, self._stocktaking, self._reports, self._analyst, watched):
            self.stage.wait(12, 0.6)
            self.server.keep_open("BEGIN; SELECT count(*) FROM stock", "analyst", "psql")  # older, and in nobody's way
            self.stage.wait(14, 1.2)
            self._migrate()
            self.stage.alerted.wait(timeout=15)
            self.stage.wait(14, 0.3)
            self.stage.record(COMMANDS, self.server.recorded)
            self.stage.wait(8, 1)
            self.stage.keep_logs()
            self.server.close_sessions()  # so that the players, who wait for the lock, can leave

    def _migrate(self) -> None:
        """The culprit. It believes that it is in the middle of its work, and says so."""
        log = self.log["schema-migrator"]
        log.write("INFO", "migration 42: adding orders.channel")
        self.server.keep_open(MIGRATION, "migrator", "schema-migrator")
        log.write("INFO", "migration 42: step 1 of 2 done, step 2 (backfill) starts when it is confirmed")

    def _checkouts(self, writer: int) -> None:
        log = self.log["checkout-api"]
        for number in self.stage.every(0.8):
            order = 3 * number + writer
            sql = f"INSERT INTO orders (sku) VALUES ('sku-{order % 50 + 1}')"
            worked, said = self._tried("checkout-api", "checkout", sql)
            if worked:
                log.write("INFO", f"order {order} placed for sku-{order % 50 + 1}")
            else:
                log.write("ERROR", f"order {order} failed", said)

    def _stocktaking(self) -> None:
        """Touches another table: well all the time."""
        log = self.log["inventory-worker"]
        for number in self.stage.every(0.8):
            sql = f"UPDATE stock SET units = units - 1 WHERE sku = 'sku-{number % 50 + 1}'"
            if self._tried("inventory-worker", "inventory", sql)[0]:
                log.write("INFO", f"stock adjusted, batch {number}")

    def _reports(self) -> None:
        """Slow by nature, and the longest to wait: it looks like the cause and is a victim."""
        log = self.log["report-scheduler"]
        for number in self.stage.every(self.stage.lasts(2.0, 0.4)):
            sql = "SELECT a.sku, count(*) FROM orders a JOIN orders b USING (sku) GROUP BY 1"
            worked, said = self._tried("report-scheduler", "reports", sql)
            if worked:
                log.write("INFO", f"finished report {number}: {len(said.splitlines())} rows")
            else:
                log.write("ERROR", f"report {number} given up", said)

    def _analyst(self) -> None:
        for number in self.stage.every(1.4):
            self.server.query(AD_HOC[number % len(AD_HOC)], "analyst", "psql")

    def _tried(self, client: str, user: str, sql: str) -> tuple[bool, str]:
        began = time.monotonic()
        worked, said = self.server.query(sql, user, client)
        self.stage.request(client, worked, (time.monotonic() - began) * 1000)
        return worked, said

    def _watched(self) -> dict[str, dict[str, float]]:
        _, text = self.server.query(SAMPLE, "postgres", "monitoring")
        return {"postgres": {name: float(value) for name, value in (line.split("|") for line in text.splitlines())}}


TOLD = Told(
    name="postgres-lock-queue",
    title="Orders time out: checkout-api answers slowly and then fails",
    context="The database answers pg_isready. No release of checkout-api is known today.",
    services=(*CLIENTS, "postgres"),
    alert=Alert("CheckoutLatency", "checkout-api", "checkout-api fails more than 5 % of its orders", after_errors=2),
    calls=tuple((client, "postgres") for client in CLIENTS),
    answer={
        "task": "component",
        "component": ["schema-migrator", "schema_migrator", "schema migrator"],
        "label": "postgres-lock-queue",
        "category": "resource_exhaustion",
        "keywords": [
            ["schema-migrator"],
            ["lock"],
            ["idle in transaction", "idle in a transaction", "holds", "blocks"],
        ],
        "forbidden": ["analyst", "syntax error", "permission denied", "checkpoint"],
        "notes": "a real PostgreSQL; an ALTER TABLE left open by record.py",
    },
)


def play(stage: Stage, args: argparse.Namespace) -> None:
    """Play the story on a server of its own."""
    with server(installed(args.postgres), stage.folder, stage.logs / "postgres.log", SETTINGS, SCHEMA) as running:
        Story(running, stage).play()


if __name__ == "__main__":
    main(TOLD, play, Path(__file__).resolve().parent, options())
