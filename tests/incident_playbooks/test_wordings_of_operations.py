"""What queues, databases, log-ins, pools, clocks and disks print, and the signal that must (or must not) see it."""

import pytest

import incident_playbooks
from fastagent.playbook import load_folder
from fastagent.state import Finding

BOOKS = {p.id: p for p in load_folder(incident_playbooks.folder())}

SEEN = {
    ("queue-backlog", "consumers-falter"): [
        "Offset commit failed: org.apache.kafka.clients.consumer.CommitFailedException",
        "consumer poll timeout has expired. This means max.poll.interval.ms was exceeded",
        "delivery acknowledgement on channel 3 timed out. Timeout value used: 1800000 ms",
        "message moved to dead-letter queue after 5 deliveries",
    ],
    ("queue-backlog", "producers-held-up"): [
        "org.springframework: task rejected, queue capacity 500",
        "memory resource limit alarm set on node rabbit@mq1",
        "celery: queue 'mail' is full",
    ],
    ("slow-query", "logged-as-slow"): [
        "LOG:  duration: 48211.120 ms  statement: SELECT 1",
        "# Query_time: 31.700000  Lock_time: 0.000100 Rows_sent: 1  Rows_examined: 48000000",
        '{"msg":"Slow query","attr":{"durationMillis":18220}}',
    ],
    ("slow-query", "reads-too-much"): [
        '"planSummary":"COLLSCAN"',
        "Seq Scan on orders  (cost=0.00..1.00 rows=1 width=4)",
    ],
    ("slow-query", "given-up"): ["ERROR:  canceling statement due to statement timeout"],
    ("traffic-spike", "workers-used-up"): [
        "WARNING: [pool www] server reached pm.max_children setting (5), consider raising it",
        "AH00161: server reached MaxRequestWorkers setting, consider raising it",
        "TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.",
        "1024 worker_connections are not enough while connecting to upstream",
    ],
    ("credentials-rejected", "rejected"): [
        'FATAL:  password authentication failed for user "app"',
        "ERROR 1045 (28000): Access denied for user 'app'@'10.0.0.1' (using password: YES)",
        "WRONGPASS invalid username-password pair or user is disabled.",
        "An error occurred (ExpiredToken) when calling the ListBuckets operation",
        "Error: invalid_grant: refresh token was revoked",
        "The client secret is expired",
    ],
    ("client-pool-exhausted", "pool-is-empty"): [
        "HikariPool-1 - Connection is not available, request timed out after 30000ms",
        "QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00",
        "org.apache.http.conn.ConnectionPoolTimeoutException: Timeout waiting for connection from pool",
        "Timeout expired. All pooled connections were in use and max pool size was reached.",
        "Error: timeout exceeded when trying to connect",
    ],
    ("client-pool-exhausted", "not-given-back"): [
        "Connection leak detection triggered for conn4",
        "Unclosed client session",
    ],
    ("clock-off", "rejected-for-its-time"): [
        "RequestTimeTooSkewed: The difference between the request time and the current time is too large.",
        "Token used before issued",
        "x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-02-01",
        "krb5: KRB_AP_ERR_SKEW",
    ],
    ("clock-off", "not-synchronised"): ["System clock synchronized: no", "Can't synchronise: no selectable sources"],
    ("storage-failing", "device-errors"): [
        "blk_update_request: I/O error, dev sdb, sector 88 op 0x0:(READ) flags 0x0",
        "Buffer I/O error on dev sda1, logical block 1, lost async page write",
        "nvme0: I/O 12 QID 3 timeout, aborting",
        "ata2.00: failed command: READ FPDMA QUEUED",
    ],
    ("storage-failing", "file-system-gave-up"): [
        "EXT4-fs (sda1): Remounting filesystem read-only",
        "EXT4-fs (dm-1): Remounting filesystem read-only",
        "XFS (dm-0): Corruption of in-memory data detected. Shutting down filesystem",
    ],
}

UNSEEN = {
    ("queue-backlog", "consumers-falter"): ["consumer started", "letter sent"],
    ("slow-query", "logged-as-slow"): ["LOG:  duration: 12.120 ms  statement: SELECT 1", "# Query_time: 0.200"],
    ("slow-query", "locks-in-the-log"): ["clock synchronised", "request blocked by policy"],
    ("traffic-spike", "workers-used-up"): ["4 workers started", "loading shed data"],
    ("credentials-rejected", "rejected"): [
        "Failed password for root from 10.0.0.1 port 22 ssh2",
        "pods is forbidden: User cannot list resource",
        "session expired, please log in",
    ],
    ("client-pool-exhausted", "pool-is-empty"): [
        "FATAL:  sorry, too many clients already",
        "pool started with 10 connections",
    ],
    ("clock-off", "rejected-for-its-time"): ["certificate has expired", "clock source tsc selected"],
    ("storage-failing", "device-errors"): ["No space left on device", "I/O scheduler registered"],
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


def test_an_empty_pool_before_a_full_server_is_the_servers_fault() -> None:
    findings = [
        Finding("log.fatal.pool_exhausted", "", quote="Connection is not available, request timed out after 30000ms"),
        Finding("log.fatal.connections_exhausted", "", quote="FATAL:  sorry, too many clients already"),
    ]
    assert (
        BOOKS["postgres-connections-exhausted"].score(findings) > 0.5 > BOOKS["client-pool-exhausted"].score(findings)
    )


def test_guesses_at_the_door_are_no_rejected_service() -> None:
    guess = Finding(
        "log.fatal.auth", "", quote="sshd[1]: Failed password for invalid user admin from 10.0.0.9 port 5 ssh2"
    )
    assert BOOKS["credentials-rejected"].score([guess]) < 0.2
