"""Who uses processor and memory, as `top` and `ps` print it."""

import re
from collections.abc import Iterator, Mapping

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original
from fastagent_tools.text.fields import number

_HEADER = re.compile(r"^[ \t]*(?=.*\bPID\b)(?=.*%CPU)(?=.*(?:COMMAND|CMD)\b).*$", re.MULTILINE)
_LOAD = re.compile(r"load average: (?P<one>[\d.]+), (?P<five>[\d.]+), (?P<fifteen>[\d.]+)")
_IDLE = re.compile(r"%Cpu\(s\):.*?(?P<idle>[\d.]+)\s*id,\s*(?P<wait>[\d.]+)\s*wa(?:.*?(?P<stolen>[\d.]+)\s*st)?")
BUSY, LARGE = 80.0, 50.0  # percent of a core; percent of memory
_WAITING = 20.0  # percent


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    found = [*_machine(output.text, original)]
    stuck: dict[str, list[str]] = {"D": [], "Z": []}
    for row, line in _rows(output.text):
        state = (row.get("S") or row.get("STAT") or "?")[:1]
        if state in stuck:
            stuck[state].append(line)
        found += _process(row, line, original)
    for state, lines in stuck.items():
        if len(lines) >= 3:
            what = "wait for a disk or another device (state D)" if state == "D" else "are zombies"
            found.append(
                original.finding(
                    "host.process.stuck",
                    f"{len(lines)} processes {what}",
                    "warning",
                    0.6,
                    f"state {state}",
                    needles=(lines[0],),
                )
            )
    return found


def _rows(text: str) -> Iterator[tuple[Mapping[str, str], str]]:
    header = _HEADER.search(text)
    names = header[0].split() if header else []
    for line in text[header.end() :].splitlines() if header else ():
        cells = line.split(None, len(names) - 1)
        if len(cells) == len(names):
            yield dict(zip(names, cells, strict=True)), line.strip()


def _process(row: Mapping[str, str], line: str, original: Original) -> list[Finding]:
    command = row.get("COMMAND") or row.get("CMD") or ""
    name = command.split()[0].rpartition("/")[2] if command.split() else ""
    cpu, memory = number(row, "%CPU") or 0.0, number(row, "%MEM") or 0.0
    found = []
    if cpu >= BUSY:
        said = f"{name} (pid {row['PID']}) uses {cpu:.0f}% of a processor"
        found.append(_finding("host.process.cpu", said, min(0.35 + cpu / 1000, 0.7), name, line, original))
    if memory >= LARGE:
        said = f"{name} (pid {row['PID']}) uses {memory:.0f}% of the memory"
        found.append(_finding("host.process.memory", said, 0.65, name, line, original))
    return found


def _finding(kind: str, said: str, score: float, name: str, line: str, original: Original) -> Finding:
    return original.finding(
        kind, said, "warning", score, "the largest consumer is worth naming", entity=name, needles=(line,)
    )


def _machine(text: str, original: Original) -> Iterator[Finding]:
    shares = _IDLE.search(text)
    if shares and float(shares["wait"]) >= _WAITING:
        said = f"the processors wait {shares['wait']}% of the time for disks"
        yield original.finding("host.cpu.iowait", said, "warning", 0.65, "high I/O wait", needles=(shares[0],))
    if shares and float(shares["idle"]) < 100 - BUSY - 10:
        load = _LOAD.search(text)
        severity: Severity = "warning"
        said = f"the processors are busy: {shares['idle']}% idle" + (f", load {load['one']}" if load else "")
        yield original.finding("host.cpu.busy", said, severity, 0.55, "hardly any idle time", needles=(shares[0],))


PROCESSES = Reader("processes", lambda output: bool(_HEADER.search(output.text[:4_000])), _read)
