"""Sessions of a PostgreSQL server, from any query over pg_stat_activity: one row a session, or counted by group."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fastagent_tools.commands.table import Row

_COUNT = ("count", "sessions", "connections", "n", "num", "total", "cnt", "numbackends", "used", "in_use", "conns")
_WHO = ("application_name", "app", "application", "usename", "user", "role", "rolname", "datname", "client_addr")
_SINCE = ("oldest_xact_start", "oldest_xact", "xact_start", "min", "oldest", "state_change", "query_start", "since")
_IDLE_COLUMN = ("idle_in_transaction", "idle_in_tx", "idle_in_txn", "idle_in_xact")


@dataclass(slots=True)
class Holder:
    """One application's sessions. `line` is the row that shows most of them."""

    name: str
    sessions: int = 0
    idle_in_transaction: int = 0
    oldest: str = ""  # begin of its oldest open transaction, as printed
    line: str = ""
    idle_line: str = ""
    _largest: int = 0
    _largest_idle: int = 0

    def add(self, row: Row, count: int, idle: int) -> None:
        """Count a row in."""
        self.sessions += count
        if count > self._largest:
            self.line, self._largest = row.line, count
        if not idle:
            return
        self.idle_in_transaction += idle
        since = row.get(*_SINCE)
        if since and (not self.oldest or since < self.oldest):
            self.oldest = since
            self.idle_line = row.line if idle >= self._largest_idle else self.idle_line
        self._largest_idle = max(self._largest_idle, idle)
        self.idle_line = self.idle_line or row.line


@dataclass(frozen=True, slots=True)
class Sessions:
    """All sessions of a table, by whom they belong to."""

    holders: Sequence[Holder] = field(default_factory=tuple)

    @property
    def total(self) -> int:
        """Sessions of all together."""
        return sum(h.sessions for h in self.holders)


def sessions_in(rows: Iterable[Row]) -> Sessions | None:
    """The sessions of a table that names whose they are; nothing where it does not."""
    kept = [row for row in rows if not _is_background(row)]
    if not kept or not any(name in kept[0].values for name in _WHO):
        return None
    counted = next((name for name in _COUNT if name in kept[0].values), "")
    if not counted and "pid" not in kept[0].values and "state" not in kept[0].values:
        return None
    holders: dict[str, Holder] = {}
    for row in kept:
        name = _who(row)
        count = _number(row.get(counted)) if counted else 1
        holders.setdefault(name, Holder(name)).add(row, count, _idle(row, count))
    return Sessions(sorted(holders.values(), key=lambda h: -h.sessions))


def _who(row: Row) -> str:
    return next((row.values[name] for name in _WHO if row.values.get(name)), "(no name)")


def _idle(row: Row, count: int) -> int:
    if row.get("state").startswith("idle in transaction"):
        return count
    return _number(row.get(*_IDLE_COLUMN))


def _is_background(row: Row) -> bool:
    """The server's own processes take no connection slot."""
    kind = row.get("backend_type")
    if kind:
        return kind != "client backend"
    return "state" in row.values and not any(row.values.get(name) for name in (*_WHO, "state"))


def _number(text: str) -> int:
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits and len(digits) < 10 else 0


def only_number(rows: Sequence[Row]) -> tuple[int, str] | None:
    """The value and line of a table of one number, as `SELECT count(*)` and `SHOW` print it."""
    if len(rows) != 1 or len(rows[0].values) != 1:
        return None
    value = next(iter(rows[0].values.values()))
    return (int(value), rows[0].line) if value.isdigit() else None


def waiting_for_locks(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of sessions that wait for a lock, by whom they belong to."""
    waiting: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        blocked = row.get("wait_event_type") == "Lock" or row.get("granted") in ("f", "false")
        by = row.get("pg_blocking_pids", "blocked_by", "blocking_pids", "blocking_pid", "blocker_pid")
        if blocked or by.strip("{} ") not in ("", "0"):
            waiting[row.get("blocked_application", "blocked_app", *_WHO, "blocked_pid", "pid")].append(row)
    return dict(waiting)


def blockers(rows: Sequence[Row]) -> Counter[str]:
    """Process ids that others wait for and that wait for nobody themselves, with how many wait."""
    waits: dict[str, list[str]] = {}
    for row in rows:
        by = row.get("pg_blocking_pids", "blocked_by", "blocking_pids", "blocking_pid", "blocker_pid")
        pids = re.findall(r"\d+", by)
        if pids:
            waits[row.get("blocked_pid", "pid")] = pids
    return Counter(pid for pids in waits.values() for pid in pids if pid not in waits and pid != "0")
