"""Rare and telling: messages that name a fault by themselves, whatever writes them.

Each has a kind, `log.fatal.<name>`, words for people, and a severity. A `hard` one is a fault at any level (a kernel
that kills a process says so at "info"); the others raise what is logged as information to a warning at most.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from fastagent.pattern import compile_pattern
from fastagent_tools.logs import levels


@dataclass(frozen=True)  # not slotted: the compiled pattern is kept beside it
class Fatal:
    """A fault and the words that give it away (RE2, case ignored)."""

    name: str
    says: str
    severity: Literal["warning", "error", "critical"]
    pattern: str
    hard: bool = False
    caps: bool = False  # everyday life at its worst: never more severe than `severity`

    @cached_property
    def compiled(self) -> Any:
        """The pattern, ready to search."""
        return compile_pattern(self.pattern)

    def level_of(self, logged: str, *, guessed: bool = False) -> str:
        """How severe a line of level `logged` is that shows this fault. Where that was only guessed, the fault decides."""
        if guessed and logged != "critical":
            return self.severity
        if self.caps:
            return self.severity if levels.RANK[logged] > levels.RANK["debug"] or not logged else logged
        if self.hard or logged == "":
            return levels.worse(logged, self.severity)
        if logged in ("trace", "debug"):
            return logged
        return "warning" if logged == "info" else levels.worse(logged, self.severity)


FATALS: tuple[Fatal, ...] = (  # the more specific first
    Fatal("oom", "memory ran out", "critical",
          r"out of memory: kill|memory cgroup out of memory|invoked oom-killer|oom[-_]kill(er)?:|OOM ?Killed|java\.lang\.OutOfMemoryError"
          r"|heap out of memory|runtime: out of memory|cannot allocate memory|std::bad_alloc|\bMemoryError\b|System\.OutOfMemoryException"
          r"|allowed memory size of \d+ bytes exhausted|OOM command not allowed", hard=True),
    Fatal("enospc", "a disk is full", "critical",
          r"no space left on device|\bENOSPC\b|disk (is )?full|not enough (free )?(disk )?space|there is not enough space|insufficient (free )?disk space"
          r"|flood.?stage disk watermark", hard=True),
    Fatal("connections_exhausted", "no connection slot is free", "critical",
          r"too many (clients|connections)|remaining connection slots are reserved|max(imum)? (number of )?(client )?connections? (reached|exceeded)"
          r"|no more connections allowed|connection limit exceeded", hard=True),
    Fatal("pool_exhausted", "a connection pool is empty", "error",
          r"queuepool limit|pool (is )?(exhausted|timed out|empty)|connection is not available, request timed out"
          r"|unable to (acquire|obtain|get) (a )?(jdbc |database )?connection|timeout exceeded when trying to connect|query_wait_timeout"),
    Fatal("kernel", "the kernel reports a bug", "critical",
          r"kernel BUG at|\bBUG: |\bKASAN: |unable to handle kernel|soft lockup|hard lockup|detected stalls? on CPU|self-detected stall|Oops: "
          r"|kernel panic|general protection fault|possible circular locking|possible recursive locking|inconsistent lock state|hung_task|blocked for more than \d+ seconds", hard=True),
    Fatal("segfault", "a process crashed", "critical",
          r"segmentation fault|\bsegfault\b|\bSIGSEGV\b|\bSIGBUS\b|\bSIGABRT\b|\bMOZ_CRASH|(ERROR|SUMMARY): \w+Sanitizer|core dumped|access violation|ANOM_ABEND"
          r"|terminated by signal (6|7|8|11)\b", hard=True),
    Fatal("panic", "a process ended in a panic", "critical",
          r"^panic: |\] panic: |\bpanic: runtime error|thread '[^']*' panicked|fatal error: all goroutines|goroutine \d+ \[running\]|\bPANIC:|guru meditation", hard=True),
    Fatal("deadlock", "transactions or threads wait for each other", "error",
          r"deadlock (detected|found)|java-level deadlock|\bdeadlock(ed)? (victim|when)|lock wait timeout exceeded"),
    Fatal("certificate", "a certificate is not accepted", "critical",
          r"certificate( has| is)? (expired|verify failed|not yet valid|unknown|required|revoked)|certificate.{0,60}\bexpired\b|expired.{0,20}certificate|ExpiredCert"
          r"|CERT_?HAS_?EXPIRED|certificate_expired|x509: |unable to (get|verify).{0,30}certificate|PKIX path|self[- ]signed certificate|alert number 4[2-8]\b"),
    Fatal("handshake", "a TLS handshake failed", "warning", r"handshake (failure|failed|error)|SSLHandshakeException|SSL_do_handshake\(\) failed"),
    Fatal("dns", "a name does not resolve", "error",
          r"name or service not known|\bENOTFOUND\b|EAI_AGAIN|no such host|(temporary failure in|failed) name resolution|NameResolutionError|could not resolve|failed to resolve"
          r"|\bNXDOMAIN\b|UnknownHostException|host not found|nodename nor servname|getaddrinfo"),
    Fatal("unreachable", "a host or network cannot be reached", "error",
          r"no route to host|EHOSTUNREACH|network is unreachable|ENETUNREACH|host is (down|unreachable)|destination (host|net|port) unreachable"),
    Fatal("refused", "a connection was refused", "error",
          r"ECONNREFUSED|connection (was )?refused|actively refused|connect\(\) failed \(111"),
    Fatal("reset", "a connection broke", "error",
          r"ECONNRESET|connection reset by peer|broken pipe|\bEPIPE\b|prematurely closed|server closed the connection unexpectedly|unexpected EOF"),
    Fatal("no_upstream", "no back end is there to answer", "error",
          r"no live upstreams|no healthy (upstream|host|backend)|has no server available|502 bad gateway|503 service (temporarily )?unavailable|upstream connect error"),
    Fatal("timeout", "something did not answer in time", "error",
          r"ETIMEDOUT|timed[- ]out|\btimeout\b.{0,40}(exceeded|expired|reached|elapsed|waiting)|(connection|read|request|gateway|i/o|lock|statement|database connection) timeout"
          r"|deadline exceeded|TimeoutError|TimeoutException|canceling statement due to .{0,20}timeout"),
    Fatal(
        "rate_limited",
        "requests are held back by a rate limit",
        "warning",
        r"rate ?limit(ed| exceeded)|too many requests|limiting (requests|connections)|throttl(ed|ing)|ThrottlingException",
        caps=True,
    ),
    Fatal(
        "quota",
        "a quota is used up",
        "error",
        r"quota (was |has been )?exceeded|exceeded.{0,20}quota|ResourceExhausted|resource_exhausted",
    ),
    Fatal("files_exhausted", "no file handle is free", "critical",
          r"too many open files|\bEMFILE\b|\bENFILE\b|no file descriptors available", hard=True),
    Fatal("read_only", "a file system cannot be written", "critical", r"read-only file system|\bEROFS\b", hard=True),
    Fatal("io", "a disk fails", "critical", r"I/O error|\bEIO\b|input/output error|bad sector|checksum (mismatch|error|failed)|corrupt(ed|ion)\b.{0,40}(page|block|index|data|table)", hard=False),
    Fatal("permission", "access was denied", "error",
          r"permission denied|access ?denied|\bEACCES\b|not authorized to perform|operation not permitted|\bforbidden\b|insufficient privilege"),
    Fatal("missing", "something that is needed is missing", "error",
          r"cannot open shared object file|ModuleNotFoundError|ImportError: |No module named|manifest unknown|command not found|ClassNotFoundException|NoClassDefFoundError"
          r"|(relation|table|column|database|role) .{1,60} does not exist"),
    Fatal("address_in_use", "a port is taken", "error", r"address already in use|EADDRINUSE"),
    Fatal("auth", "a log-in failed", "warning",
          r"authentication (fail|error)|incorrect authentication|failed password|invalid user\b|LOGIN_ERROR|failed to log on|login (failed|failure)|invalid[_ ](user_)?credentials"
          r"|MSCHAPV2.{0,30}fail|EAP.{0,40}fail|password authentication failed|WRONGPASS|\bNOAUTH\b|invalid username-password"),
    Fatal("exploit", "somebody gains rights they should not have", "warning",
          r"key=\"?(priv_esc|susp_\w+)|\"privileged\": ?true|privilege escalation"),
    Fatal("shutdown", "it was not shut down cleanly", "warning", r"unclean shutdown|was not properly shut down|not shut down cleanly|automatic recovery in progress"),
    Fatal("killed", "a process was killed", "error",
          r"\bSIGKILL\b|signal: killed|terminated by signal 9|exit(ed)?( with)? (code|status):? 137\b|status=9/KILL|CrashLoopBackOff|back-off restarting"),
    Fatal("slow", "something is slow", "warning", r"\bslow (query|request|log|statement)|took too long|duration: \d{5,}"),
)  # fmt: skip


_MAX_PATTERN = 1_800  # characters; RE2 gets the patterns in a few joined pieces, to pass over healthy lines quickly


@cache
def _pieces() -> tuple[tuple[Any, tuple[Fatal, ...]], ...]:
    pieces: list[list[Fatal]] = [[]]
    for fatal in FATALS:
        if sum(len(f.pattern) for f in pieces[-1]) + len(fatal.pattern) > _MAX_PATTERN:
            pieces.append([])
        pieces[-1].append(fatal)
    return tuple((compile_pattern("|".join(f.pattern for f in piece)), tuple(piece)) for piece in pieces)


def fault_of(message: str) -> Fatal | None:
    """The fault that a message names, the most specific one. The name of a test that passed names none."""
    text = message[:2_000]
    for joined, fatals in _pieces():
        if joined.search(text):
            if levels.passed(text):
                return None
            return next(fatal for fatal in fatals if fatal.compiled.search(text))
    return None
