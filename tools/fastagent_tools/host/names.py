"""Whether a name resolves: `dig`, `nslookup`, `host`, `resolvectl`."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_DIG = re.compile(r"->>HEADER<<-.*status: (?P<status>[A-Z]+)")
_ANSWERS = re.compile(r"ANSWER: (\d+)")
_QUESTION = re.compile(r"^;(?P<name>[^\s;]+)\s+IN\s", re.MULTILINE)
_LOOKUP = re.compile(
    r"(?:server can't find|Host) (?P<name>\S+?)(?::| not found:) (?:\d\()?(?P<status>NXDOMAIN|SERVFAIL|REFUSED)"
)
_SILENT = re.compile(
    r"no servers could be reached|communications error to \S+: timed out|connection timed out; no servers",
    re.IGNORECASE,
)
_SAYS = {
    "NXDOMAIN": "does not exist",
    "SERVFAIL": "cannot be resolved: the server failed",
    "REFUSED": "is refused by the server",
}
_FITS = (_DIG, _LOOKUP, _SILENT)


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    found = [_failed(m["status"], m["name"], m[0], original) for m in _LOOKUP.finditer(output.text)]
    if silent := _SILENT.search(output.text):
        said = f"no name server answers for {output.command.split()[-1]}"
        found.append(original.finding("host.dns.timeout", said, "error", 0.8, "no answer", needles=(silent[0],)))
    for match in _DIG.finditer(output.text):
        question = _QUESTION.search(output.text, match.end())
        name = question["name"].rstrip(".") if question else ""
        if match["status"] in _SAYS:
            found.append(_failed(match["status"], name, match[0], original))
        elif (answers := _ANSWERS.search(output.text, match.end())) and answers[1] == "0":
            said = f"{name} has no address: the answer is empty"
            found.append(
                original.finding(
                    "host.dns.empty",
                    said,
                    "warning",
                    0.55,
                    "NOERROR without an answer",
                    entity=name,
                    needles=(answers[0],),
                )
            )
    return found[:6]


def _failed(status: str, name: str, quoted: str, original: Original) -> Finding:
    severity: Severity = "error"
    said = f"the name {name} {_SAYS[status]} ({status})"
    return original.finding(f"host.dns.{status.lower()}", said, severity, 0.82, status, entity=name, needles=(quoted,))


NAMES = Reader("names", lambda output: any(p.search(output.text) for p in _FITS), _read)
