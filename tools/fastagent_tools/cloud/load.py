"""Where a database's load comes from: top statements, waits and users, as Performance Insights tells them."""

from statistics import mean

from fastagent.state import Finding, Severity
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.text.fields import Json, items, mapping, number, text
from fastagent_tools.text.quote import shorten

_LARGE_SHARE = 0.4
_RISE = 1.5
_WAITS = {
    "Client": "sessions wait for their client: idle client sessions, often idle in a transaction",
    "Lock": "sessions wait for locks that others hold",
    "LWLock": "sessions contend for internal locks",
    "IO": "sessions wait for the disk",
    "CPU": "sessions compute",
    "Timeout": "sessions wait on purpose",
    "WAL": "sessions wait for the write-ahead log (WAL)",
    "IPC": "sessions wait for other processes",
}


def judge_load(document: Document, _around: Around) -> list[Finding]:
    """The statement and the wait with the largest share; alarming only where the load has risen."""
    statements = sorted(items(document.value, "top_sql", "TopSQL"), key=lambda s: -_load(s))
    waits = sorted(items(document.value, "top_wait_events", "top_waits"), key=lambda s: -_load(s))
    risen = _rise(document.value)
    found = []
    for statement in statements[:2]:
        share = _load(statement) / (sum(map(_load, statements)) or 1.0)
        if share >= _LARGE_SHARE or (risen >= _RISE and share >= _LARGE_SHARE / 2):
            found.append(_statement(statement, share, risen, document))
    if waits:
        found.append(_wait(waits, risen, document))
    return found


def _load(entry: Json) -> float:
    return max(number(entry, "db_load_avg", "db.load.avg", "load") or 0.0, 0.0)


def _rise(document: Json) -> float:
    """The highest quarter of the load against its beginning; 1 where it is not known."""
    values = [v for v in map(number, mapping(document, "db_load").get("values") or ()) if v is not None]
    if len(values) < 4:
        return 1.0
    few = max(len(values) // 4, 2)
    return mean(sorted(values)[-few:]) / max(mean(values[:2]), 0.01)


def _statement(statement: Json, share: float, risen: float, document: Document) -> Finding:
    sql = text(statement, "statement", "sql", "Statement")
    waits = sorted(items(statement, "wait_events", "waits"), key=lambda w: -_load(w))
    on = f", waiting for {text(waits[0], 'name')}" if waits else ""
    users = [text(u, "name") for u in items(document.value, "top_users")][:2]
    said = f"{share:.0%} of the database load is: {shorten(sql, 170)}{on}"
    said += f"; top users {', '.join(users)}" if users else ""
    severity: Severity = "warning" if risen >= _RISE else "info"
    score = 0.5 + 0.3 * share if risen >= _RISE else 0.15
    return _finding(document, "cloud.db.top_sql", said + _told(risen), severity, score, f"{share:.0%} of the load", sql)


def _wait(waits: list[Json], risen: float, document: Document) -> Finding:
    first = waits[0]
    name = text(first, "name")
    kind = text(first, "type") or name.partition(":")[0]
    share = _load(first) / (sum(map(_load, waits)) or 1.0)
    said = f"{share:.0%} of the waits are {name}: {_WAITS.get(kind, 'sessions wait')}"
    alarming = risen >= _RISE and share >= _LARGE_SHARE
    severity: Severity = "warning" if alarming else "info"
    reason = f"{share:.0%} of all waits"
    score = 0.45 + 0.25 * share if alarming else 0.12
    return _finding(document, f"cloud.db.wait.{kind.lower()}", said + _told(risen), severity, score, reason, name)


def _told(risen: float) -> str:
    return f"; the load rose {risen:.1f} times" if risen >= _RISE else "; the load is steady"


def _finding(
    document: Document, kind: str, said: str, severity: Severity, score: float, reason: str, needle: str
) -> Finding:
    entity = text(document.value, "db_instance_identifier", "Identifier", "identifier")
    return document.original.finding(kind, said, severity, score, reason, entity=entity, needles=(needle,))
