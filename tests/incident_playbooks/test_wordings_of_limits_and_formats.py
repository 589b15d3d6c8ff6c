"""What admission, deadlocks, limits, schemas, formats and firewalls print, and the signal that must (or must not) see it."""

import pytest

import incident_playbooks
from fastagent.playbook import load_folder
from fastagent.state import Finding

BOOKS = {p.id: p for p in load_folder(incident_playbooks.folder())}

SEEN = {
    ("admission-refused", "words"): [
        'admission webhook "limits.example" denied the request: no limits',
        'Internal error occurred: failed calling webhook "v.example": connection refused',
        'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    ],
    ("database-deadlock", "named"): [
        "Deadlock found when trying to get lock; try restarting transaction",
        "Transaction (Process ID 7) was chosen as the deadlock victim",
        "ORA-00060: deadlock detected while waiting for resource",
    ],
    ("threads-deadlocked", "named"): ["Found one Java-level deadlock:", "all goroutines are asleep - deadlock!"],
    ("postgres-vacuum-behind", "wraparound"): [
        'database "a" must be vacuumed within 177009986 transactions',
        'database is not accepting commands to avoid wraparound data loss in database "a"',
    ],
    ("cache-stampede", "misses"): ["cache_hit_ratio fell from 0.95 to 0.1", "keyspace_misses rose from 4 to 4000"],
    ("poison-message", "named"): [
        "delivery count: 12, requeued",
        "please seek past the record to continue consumption",
    ],
    ("consumer-group-rebalancing", "too-slow"): ["Member c-1 in group g has failed, removing it from the group"],
    ("open-files-exhausted", "named"): ["accept4() failed (24: Too many open files)", "Error: EMFILE, open '/a'"],
    ("threads-exhausted", "named"): [
        "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory",
        "cgroup: fork rejected by pids controller in /docker/a",
        "RuntimeError: can't start new thread",
    ],
    ("local-ports-exhausted", "named"): ["connect EADDRNOTAVAIL 10.0.0.1:443", "Cannot assign requested address"],
    ("local-ports-exhausted", "table"): ["nf_conntrack: nf_conntrack: table full, dropping packet"],
    ("schema-behind-code", "missing"): [
        'ERROR:  column "a" does not exist',
        "Unknown column 'a.b' in 'field list'",
        "sqlite3.OperationalError: no such table: a",
    ],
    ("schema-behind-code", "migration"): ["Dirty database version 16. Fix and force version."],
    ("message-format-differs", "unreadable"): [
        "json: cannot unmarshal string into Go value of type int",
        'Unrecognized field "total" (class a.B), not marked as ignorable',
        "proto: cannot parse invalid wire type 7",
    ],
    ("tls-not-trusted", "issuer"): ["x509: certificate signed by unknown authority", "tlsv1 alert unknown ca"],
    ("tls-not-trusted", "name"): ["x509: certificate is valid for a.example, not b.example"],
    ("firewall-rule-blocks-requests", "named"): ['ModSecurity: Access denied with code 403 [id "949110"]'],
}

UNSEEN = {
    ("admission-refused", "words"): ["webhook delivered to a customer", "payment denied"],
    ("database-deadlock", "named"): ["waiting for a lock", "error 400015"],
    ("threads-deadlocked", "named"): ["deadlock detected", "12 threads started"],
    ("postgres-vacuum-behind", "wraparound"): ['automatic vacuum of table "a"'],
    ("cache-stampede", "misses"): ["request rate rose from 1 to 9", "the cache is empty"],
    ("poison-message", "named"): ["delivery attempt 1", "offset reset to latest"],
    ("open-files-exhausted", "named"): ["opened 24 files", "no space left on device"],
    ("threads-exhausted", "named"): ["started 400 threads", "java.lang.OutOfMemoryError: Java heap space"],
    ("local-ports-exhausted", "named"): ["connection refused", "address already in use"],
    ("schema-behind-code", "missing"): ["no such file or directory", "user does not exist"],
    ("message-format-differs", "unreadable"): ["could not connect", "unknown host"],
    ("tls-not-trusted", "issuer"): ["certificate has expired", "unknown user"],
    ("firewall-rule-blocks-requests", "named"): ["task blocked for more than 120 seconds", "403 Forbidden"],
}


def cases(table: dict[tuple[str, str], list[str]]) -> list[tuple[str, str, str]]:
    return [(book, signal, line) for (book, signal), lines in table.items() for line in lines]


def sees(book: str, signal: str, line: str) -> bool:
    found = next(s for s in BOOKS[book].signals if s.id == signal)
    return found.seen_in(Finding(kind="log.error", statement="", quote=line))


@pytest.mark.parametrize(("book", "signal", "line"), cases(SEEN))
def test_a_wording_is_seen(book: str, signal: str, line: str) -> None:
    assert sees(book, signal, line)


@pytest.mark.parametrize(("book", "signal", "line"), cases(UNSEEN))
def test_other_words_are_not_seen(book: str, signal: str, line: str) -> None:
    assert not sees(book, signal, line)


def test_words_of_memory_for_want_of_threads_are_no_want_of_memory() -> None:
    line = "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or limits reached"
    found = [Finding("log.fatal.oom", "", quote=line)]
    assert BOOKS["threads-exhausted"].score(found) > BOOKS["out-of-memory-killed"].score(found)


def test_a_transaction_to_be_tried_again_is_no_difference_in_format() -> None:
    line = "ERROR: could not serialize access due to concurrent update"
    assert BOOKS["message-format-differs"].score([Finding("log.error", "", quote=line)]) < 0.3
