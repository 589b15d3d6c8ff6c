"""PostgreSQL: who holds the connections, who sits idle in a transaction, who waits for whose lock."""

import re
from collections.abc import Sequence

from fastagent.state import Finding, Severity, Source
from fastagent_tools.commands.lines import findings_in
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.commands.table import Row, psql_tables
from fastagent_tools.databases.sessions import (
    Holder,
    Sessions,
    blockers,
    only_number,
    sessions_in,
    waiting_for_locks,
)
from fastagent_tools.text.quote import quote

LARGE_SHARE = 0.4  # of all sessions: whoever holds more than this is worth naming
_FEW = 5  # sessions of which no share says anything
_NEARLY_FULL, _ROOMY = 0.9, 0.8
_COMMAND = re.compile(r"\bpsql\b|pg_stat_|pg_locks|pg_settings|pg_blocking_pids", re.IGNORECASE)
_LIMIT = re.compile(r"max_connections|pg_settings", re.IGNORECASE)
_HOST = re.compile(r"(?:\s-h\s*|--host[= ]|@)([\w.-]+)")
_LIMIT_COLUMNS = ("max_connections", "max_conn", "max", "limit")
_USED_COLUMNS = ("used", "in_use", "connections", "current", "count", "sessions", "total")


def _read(output: Output) -> list[Finding]:
    tables = psql_tables(output.command, output.text)
    found = _usage(output, tables)
    for rows in tables:
        sessions = sessions_in(rows)
        if sessions and "pg_locks" not in output.command:
            found += _holder(output, sessions) + _idle(output, sessions)
        found += _locks(output, rows)
    return found or ([] if tables else findings_in(output))


def _usage(output: Output, tables: Sequence[Sequence[Row]]) -> list[Finding]:
    """Sessions against max_connections, where both are to be seen here or in another recorded output."""
    limit = _limit(output, tables)
    used = _used(output, tables)
    if not limit or not used:
        return []
    count, line = used
    share = count / limit
    severity: Severity = "critical" if share >= _NEARLY_FULL else "warning" if share >= _ROOMY else "info"
    reason = f"{share:.0%} of max_connections" + (", which leaves room" if share < _ROOMY else "")
    statement = f"{count} of {limit} connections in use"
    score = 0.9 if severity == "critical" else 0.5 if severity == "warning" else 0.2
    return [_finding(output, "usage", statement, severity, _server(output), line, score, reason)]


def _limit(output: Output, tables: Sequence[Sequence[Row]]) -> int:
    seen = [*tables, *(t for c, text in output.others.items() for t in psql_tables(c, text))]
    for rows in seen:
        for row in rows:
            value = row.get("setting", "value") if row.get("name") == "max_connections" else row.get(*_LIMIT_COLUMNS)
            if value.isdigit() and int(value):
                return int(value)
    return next((int(m[1]) for m in re.finditer(r"max_connections\D{1,40}?(\d{1,6})\b", output.text)), 0)


def _used(output: Output, tables: Sequence[Sequence[Row]]) -> tuple[int, str] | None:
    for rows in tables:
        sessions = sessions_in(rows)
        if sessions and sessions.total:
            return sessions.total, sessions.holders[0].line
        single = only_number(rows)
        if single and "max_connections" not in rows[0].values and "pg_stat_activity" in output.command:
            return single
        for row in rows:
            value = row.get(*_USED_COLUMNS)
            if value.isdigit() and any(name in row.values for name in _LIMIT_COLUMNS):
                return int(value), row.line
    return None


def _holder(output: Output, sessions: Sessions) -> list[Finding]:
    top = sessions.holders[0]
    share = top.sessions / max(sessions.total, 1)
    if sessions.total < _FEW or share < LARGE_SHARE or len(sessions.holders) < 2:
        return []
    idle_share = top.idle_in_transaction / max(top.sessions, 1)
    score = min(0.35 + 0.4 * share + 0.25 * idle_share, 0.98)
    reason = f"{share:.0%} of the sessions"
    if top.idle_in_transaction:
        reason += f", {top.idle_in_transaction} of them idle in a transaction"
    statement = f"{top.name} holds {top.sessions} of {sessions.total} sessions"
    # A large share is a fact and no fault: somebody always has the largest. Idle in transaction is one.
    severity: Severity = "error" if idle_share >= 0.5 else "warning"
    return [_finding(output, "holder", statement, severity, top.name, top.line, score, reason)]


def _idle(output: Output, sessions: Sessions) -> list[Finding]:
    idle = sorted((h for h in sessions.holders if h.idle_in_transaction), key=lambda h: -h.idle_in_transaction)
    return [_idle_finding(output, holder, sessions.total) for holder in idle[:2]]


def _idle_finding(output: Output, holder: Holder, total: int) -> Finding:
    count = holder.idle_in_transaction
    many = count >= 3 and count >= 0.2 * total
    since = f", the oldest since {holder.oldest}" if holder.oldest else ""
    plural = "s" if count > 1 else ""
    statement = f"{holder.name}: {count} session{plural} idle in a transaction{since}"
    reason = f"{count} of {total} sessions keep a transaction open and do nothing"
    score = min(0.4 + 0.55 * count / max(total, 1), 0.95) if many else 0.2
    line = holder.idle_line or holder.line
    return _finding(
        output, "idle_in_transaction", statement, "error" if many else "info", holder.name, line, score, reason
    )


def _locks(output: Output, rows: Sequence[Row]) -> list[Finding]:
    found = []
    for who, waiting in waiting_for_locks(rows).items():
        statement = f"{who}: {len(waiting)} session{'s' * (len(waiting) > 1)} wait for a lock"
        found.append(
            _finding(
                output, "", statement, "error", who, waiting[0].line, 0.75, "blocked", kind="postgres.locks.blocked"
            )
        )
    for pid, count in blockers(rows).most_common(2):
        row = next((r for r in rows if r.get("pid") == pid), None) or _naming(rows, pid)
        who = row.get("blocking_application", "blocking_app") or (
            row.get("application_name") if row.get("pid") == pid else ""
        )
        statement = f"{who or 'process'} (pid {pid}) blocks {count} session{'s' * (count > 1)}"
        found.append(
            _finding(
                output,
                "",
                statement,
                "error",
                who or f"pid {pid}",
                row.line,
                0.85,
                "others wait for it, it waits for nobody",
                kind="postgres.locks.holder",
            )
        )
    return found[:6]


def _naming(rows: Sequence[Row], pid: str) -> Row:
    return next(r for r in rows if pid in r.line)


def _finding(
    output: Output, name: str, statement: str, severity: Severity, entity: str, line: str, score: float, reason: str,
    kind: str = "",
) -> Finding:  # fmt: skip
    return Finding(
        kind=kind or f"postgres.connections.{name}",
        statement=statement,
        severity=severity,
        entity=entity,
        quote=quote(line),
        source=Source(command=output.command),
        score=round(score, 3),
        reason=reason,
    )


def _server(output: Output) -> str:
    host = _HOST.search(output.command)
    return host[1] if host else "postgres"


POSTGRES = Reader("postgres", lambda output: bool(_COMMAND.search(output.command)), _read, wants=_LIMIT)
