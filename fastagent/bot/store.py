"""The bot's SQLite file: its tables, and transactions on it that any thread or process may open."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fastagent.errors import InputError

VERSION = 1
BUSY_S = 5.0  # how long a transaction waits for another to end
_TABLES = """
CREATE TABLE incidents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, bundle TEXT NOT NULL, alerts TEXT NOT NULL, state TEXT NOT NULL,
    received_at REAL NOT NULL, began_at REAL, ended_at REAL, owner TEXT, leased_until REAL NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, report TEXT, error TEXT
);
CREATE INDEX incidents_by_state ON incidents (state, received_at);
CREATE TABLE alerts (
    key TEXT PRIMARY KEY, incident TEXT NOT NULL, received_at REAL NOT NULL, status TEXT NOT NULL
);
CREATE TABLE outbox (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, created_at REAL NOT NULL,
    due_at REAL NOT NULL, owner TEXT, attempts INTEGER NOT NULL DEFAULT 0, sent_at REAL, error TEXT
);
"""


@dataclass(frozen=True, slots=True)
class Store:
    """A file with the bot's tables. Raises `InputError` where it cannot be used."""

    path: Path

    def __post_init__(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # alerts and reports are not everybody's
            with self.transaction() as db:
                _create(db, self.path)
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"{self.path}: cannot be used as the bot's database: {error}") from None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and on disk when the body has ended: an answer given after it is a promise kept."""
        db = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        try:
            db.row_factory = sqlite3.Row
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        finally:
            db.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read without waiting for writers."""
        db = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        try:
            db.row_factory = sqlite3.Row
            yield db
        finally:
            db.close()


def _create(db: sqlite3.Connection, path: Path) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise InputError(f"{path}: written by a newer version of the bot")
    if version == 0:
        for statement in filter(str.strip, _TABLES.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
