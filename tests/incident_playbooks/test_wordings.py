"""What many systems print, and the signal that must (or must not) see it."""

import pytest

import incident_playbooks
from fastagent.playbook import load_folder
from fastagent.state import Finding

BOOKS = {p.id: p for p in load_folder(incident_playbooks.folder())}

SEEN = {
    ("disk-full", "no-space"): [
        "cp: error writing 'b.tar': No space left on device",
        "OSError: [Errno 28] No space left on device",
        'ERROR:  could not extend file "base/1/2": wrote only 4096 of 8192 bytes at block 9',
        "There is not enough space on the disk.",
        "sqlite3.OperationalError: database or disk is full",
        "[ERROR] [MY-012814] InnoDB: disk is full writing './ibtmp1'",
        "io error: Os { code: 28, message: no space } (os error 28)",
        "ORA-01653: unable to extend table APP.T by 128 in tablespace USERS",
    ],
    ("disk-full", "guard-tripped"): [
        "flood stage disk watermark [95%] exceeded on [n1]",
        "Free disk space is insufficient. disk resource limit alarm set on node rabbit@a",
        "Warning  NodeHasDiskPressure  Node status is now: NodeHasDiskPressure",
        "The node was low on resource: ephemeral-storage.",
    ],
    ("disk-full", "shown-full"): [
        "/dev/sda1   40G  40G  0 100% /",
        "/dev/sdb1   99G  96G  1G  98% /srv/data",
    ],
    ("disk-full", "another-limit"): [
        "System limit for number of file watchers reached",
        "FATAL:  could not create semaphores: No space left on device",
        'could not resize shared memory segment "/PostgreSQL.1" to 8 bytes: No space left on device',
    ],
    ("out-of-memory-killed", "kernel-kill"): [
        "Out of memory: Killed process 812 (java) total-vm:1kB",
        "Out of memory: Kill process 812 (java) score 900 or sacrifice child",
        "node invoked oom-killer: gfp_mask=0x0",
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null)",
        "app.service: Failed with result 'oom-kill'.",
    ],
    ("out-of-memory-killed", "container-kill"): ["    Reason: OOMKilled", '"OOMKilled": true,'],
    ("out-of-memory-killed", "ended-by-sigkill"): [
        "worker exited with code 137",
        "Exit Code:    137",
        "Process completed with exit code 137.",
        "server process (PID 88) was terminated by signal 9: Killed",
        "app.service: Main process exited, code=killed, status=9/KILL",
    ],
    ("out-of-memory-killed", "heap-exhausted"): [
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted",
    ],
    ("postgres-connections-exhausted", "clients-refused"): [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for non-replication superuser connections",
        "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for role "app"',
        "org.postgresql.util.PSQLException: refused (SQLSTATE 53300)",
        "ERROR: no more connections allowed (max_client_conn)",
    ],
    ("postgres-connections-exhausted", "pools-starve"): [
        "HikariPool-1 - Connection is not available, request timed out after 30000ms",
        "QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00",
    ],
    ("tls-certificate-expired", "expired"): [
        "curl: (60) SSL certificate problem: certificate has expired",
        "x509: certificate has expired or is not yet valid: current time 2026-01-02T00:00:00Z is after 2026-01-01",
        "Error: certificate has expired { code: 'CERT_HAS_EXPIRED' }",
        "javax.net.ssl.SSLHandshakeException: java.security.cert.CertificateExpiredException: NotAfter: Thu Jan 01",
        "SSL_read() failed (SSL: error:0A000415:SSL routines::sslv3 alert certificate expired:SSL alert number 45)",
        "net::ERR_CERT_DATE_INVALID",
        "verify error:num=10:certificate has expired",
    ],
    ("tls-certificate-expired", "renewal-failed"): [
        "Failed to renew certificate example.org with error: Some challenges have failed.",
        "cert-manager: order is in invalid state",
    ],
    ("tls-certificate-expired", "trust-or-name"): [
        "x509: certificate signed by unknown authority",
        "certificate verify failed: unable to get local issuer certificate",
        "x509: certificate is valid for a.example, not b.example",
        "certificate verify failed: Hostname mismatch, certificate does not match",
    ],
    ("upstream-unreachable", "refused"): [
        "Error: connect ECONNREFUSED 127.0.0.1:6379",
        "dial tcp 10.0.0.1:80: connect: connection refused",
        "connect() failed (111: Unknown error) while connecting to upstream",
        "No connection could be made because the target machine actively refused it.",
        "redis.exceptions.ConnectionError: Error 111 connecting to cache:6379.",
    ],
    ("upstream-unreachable", "no-route"): [
        "connect: no route to host",
        "java.net.ConnectException: Network is unreachable",
        "connect() failed (113: Host is unreachable) while connecting to upstream",
    ],
    ("upstream-unreachable", "name-unknown"): [
        "socket.gaierror: [Errno -2] Name or service not known",
        "Error: getaddrinfo ENOTFOUND db.internal",
        "dial tcp: lookup db on 10.0.0.2:53: no such host",
        "Temporary failure in name resolution",
        'host not found in upstream "api" in /etc/nginx/nginx.conf:9',
    ],
    ("upstream-unreachable", "connect-timeout"): [
        "dial tcp 10.0.0.9:5432: i/o timeout",
        "Error: connect ETIMEDOUT 10.0.0.9:443",
        "Caused by: java.net.ConnectException: Connection timed out",
        "upstream timed out (110: unknown) while connecting to upstream",
    ],
    ("upstream-unreachable", "gateway-gives-up"): [
        "no live upstreams while connecting to upstream",
        "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
        '"GET / HTTP/1.1" 502 157 "-"',
        "requests.exceptions.HTTPError: 502 Server Error: Bad Gateway for url",
        "backend web_back has no server available!",
    ],
}

UNSEEN = {
    ("disk-full", "no-space"): ["disk usage is at 40 %", "process 28 ended", "space left: 20 GB on device sda"],
    ("disk-full", "shown-full"): ["/dev/loop3  64M  64M  0 100% /snap/core20/1", "copy 100% done", "/dev/sda1  40% /"],
    ("out-of-memory-killed", "ended-by-sigkill"): ["listening on port 137", "took 137 ms", "exited with code 1"],
    ("out-of-memory-killed", "kernel-kill"): ["java.lang.OutOfMemoryError: Java heap space", "bloom filter rebuilt"],
    ("postgres-connections-exhausted", "clients-refused"): [
        "ERROR 1040 (HY000): Too many connections",
        "429 Too Many Requests",
        "connection refused",
    ],
    ("tls-certificate-expired", "expired"): [
        "certificate will expire in 12 days",
        "session token expired",
        "x509: certificate signed by unknown authority",
    ],
    ("upstream-unreachable", "refused"): ["payment refused by the issuer", "request 111 done"],
    ("upstream-unreachable", "gateway-gives-up"): ["imported 502 rows", "pid 503 started", '"GET / HTTP/1.1" 200 502'],
}

Case = tuple[str, str, str]


def cases(table: dict[tuple[str, str], list[str]]) -> list[Case]:
    return [(book, signal, line) for (book, signal), lines in table.items() for line in lines]


def sees(book: str, signal: str, line: str) -> bool:
    (found,) = (s for s in BOOKS[book].signals if s.id == signal)
    return found.seen_in(Finding(kind="log.error", statement="", quote=line))


@pytest.mark.parametrize(("book", "signal", "line"), cases(SEEN))
def test_a_wording_is_seen(book: str, signal: str, line: str) -> None:
    assert sees(book, signal, line)


@pytest.mark.parametrize(("book", "signal", "line"), cases(UNSEEN))
def test_other_words_are_not_seen(book: str, signal: str, line: str) -> None:
    assert not sees(book, signal, line)


def usage_score(statement: str) -> float:
    holder = Finding("postgres.connections.holder", "app holds the most")
    return BOOKS["postgres-connections-exhausted"].score([Finding("postgres.connections.usage", statement), holder])


@pytest.mark.parametrize("statement", ["5 of 100 connections in use", "79 of 100", "7 of 20", "640 of 1000"])
def test_a_server_with_room_left_is_not_out_of_connections(statement: str) -> None:
    assert usage_score(statement) < 0.25


@pytest.mark.parametrize("statement", ["29 of 30 connections in use", "9 of 10", "97 of 100", "195 of 200"])
def test_a_server_without_room_may_be(statement: str) -> None:
    assert usage_score(statement) > 0.5


def test_a_dead_upstream_with_a_full_disk_is_a_full_disk() -> None:
    findings = [
        Finding(
            "log.fatal.refused", "", quote="connect() failed (111: Connection refused) while connecting to upstream"
        ),
        Finding("log.fatal.enospc", "", quote="PANIC:  could not write to file: No space left on device"),
    ]
    assert BOOKS["disk-full"].score(findings) > 0.7 > 0.5 > BOOKS["upstream-unreachable"].score(findings)


def test_a_clock_that_is_behind_is_not_an_expired_certificate() -> None:
    quote = "x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-02-01"
    assert BOOKS["tls-certificate-expired"].score([Finding("log.fatal.certificate", "", quote=quote)]) < 0.5


def test_a_runtime_out_of_heap_is_not_enough_for_a_kill() -> None:
    heap = Finding("log.fatal.oom", "", quote="java.lang.OutOfMemoryError: Java heap space")
    assert 0 < BOOKS["out-of-memory-killed"].score([heap]) < 0.5
