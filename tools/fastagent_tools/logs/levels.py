"""How bad a line says it is. Levels, mildest first: trace, debug, info, warning, error, critical; "" = it does not say."""

import re

from fastagent.pattern import compile_pattern
from fastagent.state import Severity

ORDER = ("", "trace", "debug", "info", "warning", "error", "critical")
RANK = {level: rank for rank, level in enumerate(ORDER)}

_MAX_CHARS = 2_000  # of a line; what stands beyond does not say how bad it is
_WORDS = {
    "trace": "trace", "trc": "trace", "finest": "trace", "finer": "trace", "verbose": "trace", "t": "trace",
    "debug": "debug", "dbg": "debug", "debu": "debug", "fine": "debug", "d": "debug", "config": "debug",
    "info": "info", "inf": "info", "information": "info", "informational": "info", "notice": "info", "i": "info",
    "log": "info", "stats": "info", "statement": "info", "detail": "info", "hint": "info", "context": "info",
    "ok": "info", "success": "info", "normal": "info", "group": "info", "command": "info",
    "warn": "warning", "warning": "warning", "wrn": "warning", "w": "warning",
    "error": "error", "err": "error", "eror": "error", "severe": "error", "e": "error", "failure": "error",
    "fatal": "critical", "critical": "critical", "crit": "critical", "emerg": "critical", "emergency": "critical",
    "alert": "critical", "panic": "critical", "ftl": "critical", "f": "critical", "c": "critical",
}  # fmt: skip
_SYSLOG = ("critical", "critical", "critical", "error", "warning", "info", "info", "debug")  # RFC 5424, 6.2.1
_NUMBER = ((60, "critical"), (50, "error"), (40, "warning"), (30, "info"), (20, "debug"), (10, "trace"))  # pino, bunyan

# Words that deny what they name: "0 errors", "failed=0", "error: null", "no such error".
_DENIED = compile_pattern(
    r"\b(?:0|no|zero|without|ignore|ignoring|if any|any) (?:\w+ )?(?:errors?|failures?|failed|warnings?|exceptions?)\b"
    r"|\b(?:errors?|err|failed|failures?|warnings?|fatal|exceptions?)['\"]?\s*[=:]?\s*['\"]?(?:0\b|none\b|null\b|nil\b|false\b|\[\]|\"\")"
    r"|(?:on[-_]|-w|--)(?:error|fail\w*|warn\w*)\b|[\w/-]*(?:error|warning|failure|exception)[\w-]*\.(?:py|c|h|js|ts|go|rs|java|xml|html|o|cpp)\b",
)
_HINTS = (  # in lower case; a line with none of these says nothing, which is quickly seen
    "err", "fail", "fatal", "crit", "panic", "emerg", "exception", "warn", "severe", "alert", "unable", "cannot",
    "could not", "couldn't", "abort", "traceback", "uncaught", "unhandled",
)  # fmt: skip
_CRITICAL = re.compile(r"\b(?:FATAL|CRITICAL|EMERG|EMERGENCY|PANIC)\b|^\W*(?:fatal|panic|critical)(?: error)?:")
_ERROR = re.compile(
    r"\b(?:ERROR|ERR|SEVERE|FAIL|FAILED|FAILURE)\b|##\[error\]|\bTraceback \(most recent"
    r"|\b[A-Z]\w*(?:Error|Exception)\b(?:[:\s(]|$)|(?i:\berrors?\b\s*[:\[(]|^\W*(?:error|failed|failure|exception)\b"
    r"|\b(?:failed|fails|unable|cannot|could not|couldn't|aborted|aborting)\b|\bun(?:caught|handled)\b)"
)
_PASSED = re.compile(
    r"\.\.\. (?:ok|ignored|skipped)\b|\bTEST-(?:PASS|KNOWN-FAIL|START|SKIP)\b|\b(?:PASSED|SKIPPED|XFAIL)\b(?! \d)"
    r"|--- (?:PASS|SKIP): |^\s*(?:✓|✔|ok \d+\b|PASS\b)|\[ +(?:OK|RUN) +\]"
)
_WARNING = re.compile(r"\bwarn(?:ing)?\b", re.IGNORECASE)


def passed(message: str) -> bool:
    """Whether a line reports a test that did not fail; what its name speaks of did not happen."""
    return bool(_PASSED.search(message))


def of_word(word: str) -> str:
    """The level a word stands for; digits after a word ("DEBUG5") and case do not matter."""
    return _WORDS.get(word.strip().lower().rstrip("0123456789"), "")


def of_number(number: float) -> str:
    """Pino and bunyan count 10 (trace) to 60 (fatal); OpenTelemetry 1 to 24; below that syslog's 0 to 7 is not guessed."""
    return next((level for least, level in _NUMBER if number >= least), "")


def of_otel(number: int) -> str:
    """OpenTelemetry's severity number, 1 (trace) to 24 (fatal)."""
    return ORDER[min(1 + max(number - 1, 0) // 4, 6)] if number > 0 else ""


def of_priority(priority: int) -> str:
    """Syslog's PRI: facility * 8 + severity."""
    return _SYSLOG[priority % 8]


def of_status(status: int) -> str:
    """HTTP: the server's own failures are errors; a client's 4xx is everyday life."""
    return "error" if status >= 500 else "info"


def of_text(message: str) -> str:
    """What the words of a line without a level say; "" where they say nothing."""
    text = message[:_MAX_CHARS]
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return ""
    if _PASSED.search(text):
        return ""
    text = _DENIED.sub(" ", text) if _DENIED.search(text) else text
    if _CRITICAL.search(text):
        return "critical"
    if _ERROR.search(text):
        return "error"
    return "warning" if _WARNING.search(text) else ""


def worse(one: str, other: str) -> str:
    """The more severe of two levels."""
    return one if RANK[one] >= RANK[other] else other


def severity(level: str) -> Severity:
    """A level in the four steps of findings."""
    if level == "critical":
        return "critical"
    if level == "error":
        return "error"
    return "warning" if level == "warning" else "info"
