"""Units of systemd: `systemctl status`, `list-units`, `--failed`, `is-active`."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.commands.lines import findings_in
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.commands.subject import subject
from fastagent_tools.text.citation import Original, merged

_STATUS = re.compile(
    r"^[ \t]*Active: (?P<state>\S+)(?: \((?P<sub>[^)]*)\))?(?: \(Result: (?P<result>[^)]*)\))?", re.MULTILINE
)
_NAME = re.compile(
    r"^[^\w\n]{0,8}(?P<unit>[\w@.\\:-]+\.(?:service|socket|timer|mount|target|slice|scope))\b(?: - (?P<what>.*))?",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^[^\w\n]{0,8}(?P<unit>[\w@.\\:-]+\.(?:service|socket|timer|mount|target))\s+(?P<load>loaded|not-found|masked|bad-setting|error)\s+"
    r"(?P<state>\w+)\s+(?P<sub>[\w-]+)\s*(?P<what>.*)$",
    re.MULTILINE,
)
_EXIT = re.compile(r"^[ \t]*(?:Main PID|Process): .*\((code=\w+, status=[^)]*)\)", re.MULTILINE)
_RESTARTS = re.compile(r"restart counter is at (\d+)")
_SCORES: dict[str, tuple[Severity, float]] = {
    "failed": ("error", 0.8),
    "activating": ("warning", 0.5),
    "inactive": ("warning", 0.45),
}


def _fits(output: Output) -> bool:
    return bool(_STATUS.search(output.text) or _ROW.search(output.text))


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    rows = [
        _row(m, original)
        for m in _ROW.finditer(output.text)
        if m["state"] == "failed" or m["load"] in ("bad-setting", "error")
    ]
    if rows or _ROW.search(output.text):
        return rows
    blocks = re.split(r"\n(?=[●○×*] )", output.text)
    found = [f for block in blocks for f in _status(block, output, original)]
    healthy = all("Active: active (running)" in b for b in blocks)
    return merged(found) + ([] if healthy and not found else findings_in(output))


def _row(row: re.Match[str], original: Original) -> Finding:
    said = f"unit {row['unit']} is {row['state']} ({row['sub']}): {row['what']}"
    name = row["unit"].removesuffix(".service")
    return original.finding(
        "host.unit.failed", said, "error", 0.75, f"{row['load']} {row['state']}", entity=name, needles=(row["unit"],)
    )


def _status(block: str, output: Output, original: Original) -> list[Finding]:
    status = _STATUS.search(block)
    if not status or status["state"] not in _SCORES:
        return []
    named = _NAME.search(block)
    unit = (named["unit"] if named else subject(output.command)).removesuffix(".service")
    severity, score = _SCORES[status["state"]]
    exit_ = _EXIT.search(block)
    restarts = _RESTARTS.search(block)
    said = f"unit {unit} is {status['state']} ({status['sub'] or status['result'] or 'dead'})"
    said += f", result {status['result']}" if status["result"] else ""
    said += f", its process ended with {exit_[1]}" if exit_ else ""
    said += f", restarted {restarts[1]} times" if restarts else ""
    needles = (status[0].strip(),)
    return [
        original.finding(
            f"host.unit.{status['state']}", said, severity, score, "not running", entity=unit, needles=needles
        )
    ]


UNITS = Reader("units", _fits, _read)
