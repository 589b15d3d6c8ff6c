"""What `curl -v` (or `curl -i`) got: a status, a refusal, a TLS error, silence."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_STATUS = re.compile(r"^(?:< )?HTTP/[\d.]+ (?P<code>\d{3})(?P<says>[^\r\n]*)", re.MULTILINE)
_ERROR = re.compile(r"curl: \((?P<code>\d+)\) (?P<says>[^\n]*)")
_URL = re.compile(r"(?:https?://)?(?P<host>(?:\[[\da-f:]+\]|[\w.-]+)(?::\d+)?)(?:/|$|\s|[\"'])")
_KINDS = {
    "6": "dns", "7": "refused", "28": "timeout", "35": "tls", "51": "certificate", "52": "empty_answer", "55": "reset",
    "56": "reset", "58": "certificate", "60": "certificate", "77": "certificate", "47": "redirects",
}  # fmt: skip


def _fits(output: Output) -> bool:
    return bool(re.search(r"\bcurl\b", output.command) and (_ERROR.search(output.text) or _STATUS.search(output.text)))


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    host = _host(output.command)
    found = []
    for error in list(_ERROR.finditer(output.text))[:3]:
        kind = _KINDS.get(error["code"], "failed")
        said = f"a request to {host} fails: {error['says']} (curl exit {error['code']})"
        found.append(_finding(original, kind, said, "error", 0.8, error["says"][:80] or kind, host, error[0]))
    statuses = list(_STATUS.finditer(output.text))
    if statuses and not found:
        found.append(_answered(statuses[-1], host, original))
    return found


def _answered(status: re.Match[str], host: str, original: Original) -> Finding:
    code = int(status["code"])
    severity: Severity = "error" if code >= 500 else "warning" if code >= 400 else "info"
    score = 0.7 if code >= 500 else 0.45 if code >= 400 else 0.15
    said = f"{host} answers {code}{status['says'].rstrip()}"
    name = "server_error" if code >= 500 else "client_error" if code >= 400 else "answers"
    return _finding(original, name, said, severity, score, f"status {code}", host, status[0])


def _host(command: str) -> str:
    for word in command.split()[1:]:
        match = re.match(r"[\"']?https?://([^/\"'?\s]+)", word)
        if match:
            return match[1].rpartition("@")[2]
    last = command.rsplit(maxsplit=1)[-1] if command.split() else ""
    match = _URL.match(f"{last} ")
    return match["host"] if match else "the server"


def _finding(
    original: Original, name: str, said: str, severity: Severity, score: float, reason: str, host: str, needle: str
) -> Finding:
    return original.finding(
        f"host.http.{name}", said, severity, score, reason, entity=host.partition(":")[0], needles=(needle,)
    )


HTTP = Reader("http", _fits, _read)
