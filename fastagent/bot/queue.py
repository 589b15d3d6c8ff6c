"""The queue of incidents: each alert once, one owner at a time under a lease, an answer once.

States go queued -> running -> done or failed. A worker that dies leaves `running` behind; its lease runs out, or the
next worker on the same machine sees that the process is gone, and the incident is queued again.
"""

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson

from fastagent.alerts import Alert, incident_of
from fastagent.bot.outbox import post_later
from fastagent.bot.owner import is_gone
from fastagent.bot.store import Store
from fastagent.errors import FastagentError
from fastagent.state import as_json, from_json

LEASE_S = 15.0
MAX_ATTEMPTS = 3  # an incident that takes its worker down this often is given up
MAX_WAITING = 10_000
SAME_WITHIN_S = 300.0  # an alert without a start time is the same one if it comes again this soon
BUNDLE_LABEL = "bundle"


class QueueFull(FastagentError):  # noqa: N818
    """More incidents wait than could be looked at in useful time."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An incident in the queue. Times are Unix seconds."""

    id: str
    title: str
    bundle: str  # as the alert names it, unchecked
    alerts: tuple[Alert, ...]
    state: str
    received_at: float
    began_at: float | None
    ended_at: float | None
    attempts: int
    report: Mapping[str, Any] | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a payload's alerts: the incidents they belong to, and how many of these are new."""

    incidents: tuple[str, ...]
    new: int


class Queue:
    """The queue of one database. Its methods block: call them from a thread."""

    def __init__(self, store: Store, *, target: str = "", clock: Callable[[], float] = time.time) -> None:
        self._store, self._target, self._clock = store, target, clock

    def accept(self, alerts: Sequence[Alert]) -> Accepted:
        """Queue what is new, one incident for all alerts that share their evidence. On disk when it returns."""
        now, fresh, known = self._clock(), dict[str, dict[str, Alert]](), list[str]()
        with self._store.transaction() as db:
            for alert in alerts:
                incident = self._known(db, alert, now)
                if incident is not None:
                    known.append(incident)
                elif alert.status == "firing":
                    fresh.setdefault(alert.told(BUNDLE_LABEL), {})[alert.key] = alert
            if fresh and _waiting(db) >= MAX_WAITING:
                raise QueueFull(f"{MAX_WAITING} incidents wait already")
            new = [_insert(db, bundle, tuple(group.values()), now) for bundle, group in fresh.items()]
        return Accepted(tuple(dict.fromkeys([*new, *known])), len(new))

    def _known(self, db: sqlite3.Connection, alert: Alert, now: float) -> str | None:
        """The incident of an alert that was seen before."""
        row = db.execute(
            "SELECT a.incident, a.received_at, i.state FROM alerts a JOIN incidents i ON i.id = a.incident "
            "WHERE key = ?",
            (alert.key,),
        ).fetchone()
        if row is None:
            return None
        stale = row["state"] in ("done", "failed") and now - row["received_at"] > SAME_WITHIN_S
        if alert.started_at is None and alert.status == "firing" and stale:
            return None
        db.execute("UPDATE alerts SET status = ? WHERE key = ?", (alert.status, alert.key))
        return str(row["incident"])

    def claim(self, owner: str) -> Entry | None:
        """Take the oldest incident that waits, or whose owner is gone. None if there is none."""
        now = self._clock()
        with self._store.transaction() as db:
            self._give_up(db, now)
            row = db.execute(
                "UPDATE incidents SET state = 'running', owner = ?, leased_until = ?, began_at = ?, "
                "attempts = attempts + 1 WHERE id = (SELECT id FROM incidents WHERE state = 'queued' OR "
                "(state = 'running' AND leased_until < ?) ORDER BY received_at LIMIT 1) RETURNING *",
                (owner, now + LEASE_S, now, now),
            ).fetchone()
        return _entry(row) if row else None

    def _give_up(self, db: sqlite3.Connection, now: float) -> None:
        rows = db.execute(
            "SELECT id FROM incidents WHERE (state = 'queued' OR (state = 'running' AND leased_until < ?)) "
            "AND attempts >= ?",
            (now, MAX_ATTEMPTS),
        ).fetchall()
        for row in rows:
            self._end(db, row["id"], None, f"given up: the worker died {MAX_ATTEMPTS} times on it")

    def renew(self, incident: str, owner: str) -> bool:
        """Hold on to an incident. False if it was lost."""
        with self._store.transaction() as db:
            changed = db.execute(
                "UPDATE incidents SET leased_until = ? WHERE id = ? AND owner = ? AND state = 'running'",
                (self._clock() + LEASE_S, incident, owner),
            )
            return changed.rowcount == 1

    def release(self, incident: str, owner: str) -> None:
        """Put an incident back: the worker was asked to stop, which is no failed attempt."""
        with self._store.transaction() as db:
            db.execute(
                "UPDATE incidents SET state = 'queued', owner = NULL, attempts = attempts - 1 "
                "WHERE id = ? AND owner = ? AND state = 'running'",
                (incident, owner),
            )

    def recover(self) -> int:
        """Queue again what processes of this machine held that run no more. To be called before the first claim."""
        with self._store.transaction() as db:
            rows = db.execute("SELECT id, owner FROM incidents WHERE state = 'running'").fetchall()
            lost = [row["id"] for row in rows if is_gone(row["owner"] or "")]
            for incident in lost:
                db.execute("UPDATE incidents SET state = 'queued', owner = NULL WHERE id = ?", (incident,))
        return len(lost)

    def finish(self, incident: str, owner: str, report: Mapping[str, Any] | None, error: str | None = None) -> bool:
        """The answer, and its letter to the target, in one transaction. False if another owner has taken over."""
        with self._store.transaction() as db:
            row = db.execute(
                "SELECT 1 FROM incidents WHERE id = ? AND owner = ? AND state = 'running'", (incident, owner)
            ).fetchone()
            if row:
                self._end(db, incident, report, error)
        return row is not None

    def _end(self, db: sqlite3.Connection, incident: str, report: Mapping[str, Any] | None, error: str | None) -> None:
        state = "failed" if report is None else "done"
        said = orjson.dumps(report).decode() if report is not None else None
        db.execute(
            "UPDATE incidents SET state = ?, ended_at = ?, report = ?, error = ?, owner = NULL WHERE id = ?",
            (state, self._clock(), said, error, incident),
        )
        if self._target:
            letter = {"incident_id": incident, "state": state, "error": error, "report": report}
            post_later(db, incident, self._target, orjson.dumps(letter).decode(), self._clock())

    def entry(self, incident: str) -> Entry | None:
        """One incident, if there is one of this id."""
        with self._store.reading() as db:
            row = db.execute("SELECT * FROM incidents WHERE id = ?", (incident,)).fetchone()
        return _entry(row) if row else None

    def latest(self, most: int = 200) -> list[Entry]:
        """The newest incidents first."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT * FROM incidents ORDER BY received_at DESC, rowid DESC LIMIT ?", (most,)
            ).fetchall()
        return [_entry(row) for row in rows]

    def counts(self) -> dict[str, int]:
        """How many incidents are in each state."""
        with self._store.reading() as db:
            rows = db.execute("SELECT state, count(*) FROM incidents GROUP BY state").fetchall()
        return dict(rows)


def _waiting(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM incidents WHERE state = 'queued'").fetchone()[0])


def _insert(db: sqlite3.Connection, bundle: str, alerts: tuple[Alert, ...], now: float) -> str:
    incident = uuid4().hex
    told = orjson.dumps(as_json(alerts)).decode()
    db.execute(
        "INSERT INTO incidents (id, title, bundle, alerts, state, received_at) VALUES (?, ?, ?, ?, 'queued', ?)",
        (incident, incident_of(alerts).title, bundle, told, now),
    )
    db.executemany(
        "INSERT OR REPLACE INTO alerts VALUES (?, ?, ?, ?)", [(a.key, incident, now, a.status) for a in alerts]
    )
    return incident


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(
        row["id"],
        row["title"],
        row["bundle"],
        tuple(from_json(Alert, a) for a in orjson.loads(row["alerts"])),
        row["state"],
        row["received_at"],
        row["began_at"],
        row["ended_at"],
        row["attempts"],
        orjson.loads(row["report"]) if row["report"] else None,
        row["error"],
    )
