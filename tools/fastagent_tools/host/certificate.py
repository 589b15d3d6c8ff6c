"""Certificates as `openssl x509` and `openssl s_client` print them: validity against the incident's time, and names."""

import re
from datetime import UTC, datetime

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original
from fastagent_tools.text.times import Clock

_BEGIN = re.compile(r"(?:notBefore=|Not Before\s*: ?)(?P<at>[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}) GMT")
_END = re.compile(r"(?:notAfter=|Not After\s*: ?)(?P<at>[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}) GMT")
_S_CLIENT_END = re.compile(r"NotAfter: (?P<at>[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}) GMT")
_VERIFY = re.compile(
    r"(?:Verify return code|verify error:num=|Verification error)[: =]*(?P<code>\d+)?[: ]*\(?(?P<says>[a-zA-Z][^)\n]*)"
)
_SUBJECT = re.compile(r"subject\s*[=:].{0,300}?CN\s*=\s*(?P<name>[^,/\n]+)", re.IGNORECASE)
_NAMES = re.compile(r"DNS:([^,\s]+)")
_ASKED = re.compile(r"-(?:servername|verify_hostname)[ =](\S+)|-connect[ =]([^:\s]+)|-checkhost (\S+)")
_SOON_S = 7 * 86_400.0


def _fits(output: Output) -> bool:
    text = output.text
    return bool(_END.search(text) or _S_CLIENT_END.search(text) or ("CONNECTED(" in text and _VERIFY.search(text)))


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    found = _validity(output, original) + _verification(output, original)
    return found + _names(output, original)


def _validity(output: Output, original: Original) -> list[Finding]:
    begin, end = _BEGIN.search(output.text), _END.search(output.text) or _S_CLIENT_END.search(output.text)
    now, name = Clock(1970).read(output.started_at or ""), _name(output)
    ends, begins = (_seconds(m["at"]) if m else None for m in (end, begin))
    if not end or ends is None:
        return []
    until = f"until {end['at']} GMT"
    if now is None:
        said = f"certificate {name} is valid {until}"
        return [_finding(original, "validity", said, "info", 0.2, "its dates", name, end[0])]
    if ends < now.at_s:
        days = (now.at_s - ends) / 86_400
        said = f"certificate {name} has expired: it was valid {until}, {days:.1f} days before the incident"
        return [_finding(original, "expired", said, "critical", 0.93, "expired", name, end[0])]
    if begin and begins is not None and begins > now.at_s:
        said = f"certificate {name} is not yet valid: only from {begin['at']} GMT"
        return [_finding(original, "not_yet_valid", said, "critical", 0.9, "not yet valid", name, begin[0])]
    said = f"certificate {name} is valid at the time of the incident, {until}"
    if ends - now.at_s < _SOON_S:
        return [_finding(original, "validity", said, "warning", 0.4, "ends within a week", name, end[0])]
    return [_finding(original, "validity", said, "info", 0.15, "valid", name, end[0])]


def _verification(output: Output, original: Original) -> list[Finding]:
    for match in _VERIFY.finditer(output.text):
        if match["code"] not in (None, "0") or "expired" in match["says"]:
            kind = (
                "expired"
                if "expired" in match["says"]
                else "not_yet_valid"
                if "not yet" in match["says"]
                else "untrusted"
            )
            said = f"the certificate of {_asked(output) or _name(output)} is not accepted: {match['says'].strip()}"
            score = 0.9 if kind == "expired" else 0.75
            return [
                _finding(
                    original,
                    kind,
                    said,
                    "critical",
                    score,
                    "verification fails",
                    _asked(output) or _name(output),
                    match[0],
                )
            ]
    return []


def _names(output: Output, original: Original) -> list[Finding]:
    asked, subject = _asked(output), _SUBJECT.search(output.text)
    names = {*_NAMES.findall(output.text)} or ({subject["name"].strip()} if subject else set())
    if not asked or not names or re.fullmatch(r"[\d.:]+|localhost", asked) or any(covers(n, asked) for n in names):
        return []
    said = f"the certificate does not name {asked}: it names {', '.join(sorted(names)[:5])}"
    needle = f"DNS:{min(names)}" if _NAMES.search(output.text) else (subject[0] if subject else "")
    return [_finding(original, "name_mismatch", said, "error", 0.85, "another name", asked, needle)]


def covers(name: str, host: str) -> bool:
    """Whether a certificate's name is that of a host; `*` stands for one label."""
    if name.startswith("*."):
        return host.lower().partition(".")[2] == name[2:].lower()
    return name.lower() == host.lower()


def _asked(output: Output) -> str:
    match = _ASKED.search(output.command)
    return next((g for g in match.groups() if g), "") if match else ""


def _name(output: Output) -> str:
    subject = _SUBJECT.search(output.text)
    file = re.search(r"-in[ =](\S+)", output.command)
    return subject["name"].strip() if subject else _asked(output) or (file[1] if file else "")


def _seconds(text: str) -> float | None:
    try:
        return datetime.strptime(text, "%b %d %H:%M:%S %Y").replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _finding(
    original: Original, name: str, said: str, severity: Severity, score: float, reason: str, entity: str, needle: str
) -> Finding:
    return original.finding(f"host.certificate.{name}", said, severity, score, reason, entity=entity, needles=(needle,))


CERTIFICATE = Reader("certificate", _fits, _read)
