"""Sockets, as `ss` and `netstat` list them: full backlogs, leaked and hanging connections."""

import re
from collections import Counter

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_SS = re.compile(
    r"^(?:(?:tcp|udp)6?\s+)?(?P<state>[A-Z][A-Z-]+\d?)\s+(?P<recv>\d+)\s+(?P<send>\d+)\s+(?P<local>\S+)\s+(?P<peer>\S+)(?P<rest>.*)$"
)
_NETSTAT = re.compile(
    r"^(?:tcp|udp)6?\s+(?P<recv>\d+)\s+(?P<send>\d+)\s+(?P<local>\S+)\s+(?P<peer>\S+)\s+(?P<state>[A-Z_]+\d?)(?P<rest>.*)$"
)
_PROCESS = re.compile(r"\(\(\"(?P<ss>[^\"]+)\"|\s\d+/(?P<netstat>\S+)")
_HEADER = re.compile(r"Recv-Q\s+Send-Q\s+Local Address", re.IGNORECASE)
MANY = 50  # connections of one state and process
_STATES: dict[str, tuple[Severity, float, str]] = {
    "CLOSEWAIT": ("error", 0.75, "closed by their peers and never closed here: a leak"),
    "SYNSENT": ("error", 0.75, "are opened and get no answer"),
    "SYNRECV": ("warning", 0.6, "are half open: a flood, or a full backlog"),
    "TIMEWAIT": ("info", 0.3, "are in TIME-WAIT: many short connections"),
}


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    found, counts, lines = [], Counter[tuple[str, str]](), dict[tuple[str, str], str]()
    for line in output.text.splitlines():
        row = _SS.match(line) or _NETSTAT.match(line)
        if not row:
            continue
        state, who = re.sub(r"[-_]", "", row["state"]), _process(row["rest"])
        if state == "LISTEN" and int(row["recv"]) > int(row["send"]) > 0:
            said = f"the backlog of {who or row['local']} is full: {row['recv']} connections wait on {row['local']}"
            said += f", {row['send']} may"
            found.append(
                original.finding(
                    "host.socket.backlog",
                    said,
                    "error",
                    0.8,
                    "it accepts too slowly",
                    entity=who or row["local"],
                    needles=(line,),
                )
            )
        key = (state, who or row["peer"])
        counts[key] += 1
        lines.setdefault(key, line)
    return found + [f for key, n in counts.items() for f in _piled_up(key, n, lines[key], original)]


def _piled_up(key: tuple[str, str], count: int, line: str, original: Original) -> list[Finding]:
    state, who = key
    few = 3 if state == "SYNSENT" else MANY
    if state not in _STATES or count < few:
        return []
    severity, score, says = _STATES[state]
    said = (
        f"{count} connections of {who} {says}"
        if state != "CLOSEWAIT"
        else f"{count} connections of {who} in CLOSE-WAIT, {says}"
    )
    return [
        original.finding(
            f"host.socket.{state.lower()}", said, severity, score, f"{count} in one state", entity=who, needles=(line,)
        )
    ]


def _process(rest: str) -> str:
    named = _PROCESS.search(rest)
    return (named["ss"] or named["netstat"]) if named else ""


SOCKETS = Reader("sockets", lambda output: bool(_HEADER.search(output.text[:2_000])), _read)
