"""Letters to the target webhook. Written in the transaction that ends an incident, so that none is lost or made twice.

Delivery is at least once: after a crash between the target's "yes" and our note of it the letter goes again, under the
same `Idempotency-Key` (the incident's id), by which the target can tell.
"""

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx2
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from fastagent.bot.owner import is_gone
from fastagent.bot.store import Store

ATTEMPTS = 4  # in a row; then the letter rests
REST_S = 60.0  # doubles with each rest, up to an hour
MAX_REST_S = 3600.0
KEEP_TRYING_S = 24 * 3600.0
TIMEOUT_S = 10.0
BUSY = (408, 425, 429)


@dataclass(frozen=True, slots=True)
class Letter:
    """A body that is to be posted once."""

    key: str
    url: str
    body: str
    created_at: float
    rests: int


class NotDelivered(Exception):  # noqa: N818
    """The target did not take it now, and may later."""


class Refused(Exception):  # noqa: N818
    """The target said no; asking again will not help."""


def post_later(db: sqlite3.Connection, key: str, url: str, body: str, now: float) -> None:
    """Put a letter into the outbox, as part of a transaction. A key that is there already keeps its letter."""
    db.execute(
        "INSERT OR IGNORE INTO outbox (key, url, body, state, created_at, due_at) VALUES (?, ?, ?, 'waiting', ?, ?)",
        (key, url, body, now, now),
    )


class Outbox:
    """The letters of one database. Its methods, except `deliver`, block: call them from a thread."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock

    def take(self, owner: str) -> Letter | None:
        """The next letter that is due. Nobody else gets it for as long as delivering can last."""
        now = self._clock()
        lease_s = ATTEMPTS * (TIMEOUT_S + TIMEOUT_S)
        with self._store.transaction() as db:
            row = db.execute(
                "UPDATE outbox SET due_at = ?, owner = ? WHERE key = (SELECT key FROM outbox WHERE state = 'waiting' "
                "AND due_at <= ? ORDER BY due_at LIMIT 1) RETURNING *",
                (now + lease_s, owner, now),
            ).fetchone()
        return Letter(row["key"], row["url"], row["body"], row["created_at"], row["attempts"]) if row else None

    def sent(self, letter: Letter) -> None:
        """The target has it."""
        with self._store.transaction() as db:
            db.execute(
                "UPDATE outbox SET state = 'sent', sent_at = ?, error = NULL WHERE key = ?",
                (self._clock(), letter.key),
            )

    def put_back(self, letter: Letter, why: str, *, final: bool) -> None:
        """It could not be delivered: try later, or for good where that is pointless or it was tried for a day."""
        now = self._clock()
        over = final or now - letter.created_at > KEEP_TRYING_S
        due_at = now + min(REST_S * 2.0 ** min(letter.rests, 10), MAX_REST_S)
        with self._store.transaction() as db:
            db.execute(
                "UPDATE outbox SET state = ?, due_at = ?, owner = NULL, attempts = attempts + 1, error = ? "
                "WHERE key = ?",
                ("failed" if over else "waiting", due_at, why, letter.key),
            )

    def recover(self) -> None:
        """Letters that a process of this machine had taken when it ended are due now. To be called at the start."""
        with self._store.transaction() as db:
            rows = db.execute("SELECT key, owner FROM outbox WHERE state = 'waiting' AND owner NOT NULL").fetchall()
            for row in rows:
                if is_gone(row["owner"]):
                    db.execute("UPDATE outbox SET due_at = ?, owner = NULL WHERE key = ?", (self._clock(), row["key"]))

    def state_of(self, key: str) -> str:
        """In words for people: "", "waiting", "sent", or what went wrong."""
        with self._store.reading() as db:
            row = db.execute("SELECT state, error FROM outbox WHERE key = ?", (key,)).fetchone()
        if row is None:
            return ""
        return f"{row['state']}: {row['error']}" if row["error"] else str(row["state"])


async def deliver(letter: Letter, client: httpx2.AsyncClient, *, first_wait_s: float = 0.5) -> None:
    """Post a letter, several times if need be. Raises `NotDelivered` or `Refused`."""
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(NotDelivered),
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential_jitter(multiplier=first_wait_s, max=TIMEOUT_S, jitter=first_wait_s),
        reraise=True,
    )
    await retrying(_post, letter, client)


async def _post(letter: Letter, client: httpx2.AsyncClient) -> None:
    headers = {"content-type": "application/json", "idempotency-key": letter.key}
    try:
        response = await client.post(letter.url, content=letter.body.encode(), headers=headers, timeout=TIMEOUT_S)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NotDelivered(f"{type(error).__name__}: {error}") from None
    if response.status_code >= 500 or response.status_code in BUSY:
        raise NotDelivered(f"the target answered {response.status_code}")
    if not response.is_success:
        raise Refused(f"the target answered {response.status_code}")
