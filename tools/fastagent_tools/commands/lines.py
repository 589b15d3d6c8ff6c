"""Any output: lines that speak of a failure. Where the output is a log, it is judged as one."""

import re
from dataclasses import replace

from fastagent.state import Finding, Source
from fastagent_tools.commands.reader import Output
from fastagent_tools.commands.subject import subject
from fastagent_tools.logs import levels
from fastagent_tools.logs.analysis import analyse
from fastagent_tools.logs.corpus import Corpus, corpus_of_text
from fastagent_tools.logs.digest import finding
from fastagent_tools.logs.fatal import fault_of
from fastagent_tools.text.quote import quote, shorten

MAX_FINDINGS = 8
_LOG_COMMAND = re.compile(r"\blogs?\b|journalctl|dmesg|\.log\b", re.IGNORECASE)
_FAILED = re.compile(  # states, in words that are not error words
    r"inactive \(dead\)|\bExited \([1-9]\d*\)|\bNotReady\b|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainerConfigError"
    r"|\bEvicted\b|FailedScheduling|\bUnhealthy\b|Insufficient (cpu|memory)|Exit Code: +[1-9]|exit_?code['\":= ]+[1-9]\d*\b|DiskPressure +True"
    r"|MemoryPressure +True|\bDegraded\b|\b0/[1-9]\d* nodes are available|\bPending\b"
)


def findings_in(output: Output) -> list[Finding]:
    """What the lines of an output say, the most telling first."""
    corpus = corpus_of_text(output.command, output.text, subject(output.command), output.started_at)
    if _LOG_COMMAND.search(output.command) or corpus.files[0].layout.name not in ("plain", "logfmt", "level"):
        found = _as_log(corpus, output)
    else:
        found = []
    found += [f for f in _lines(output) if f.quote not in {g.quote for g in found}]
    return sorted(found, key=lambda f: -f.score)[:MAX_FINDINGS]


def _as_log(corpus: Corpus, output: Output) -> list[Finding]:
    ranked = analyse(corpus, corpus.events, output.started_at).ranked
    source = Source(command=output.command)
    return [replace(finding(corpus, r), source=source) for r in ranked[:MAX_FINDINGS]]


def _lines(output: Output) -> list[Finding]:
    found: dict[str, Finding] = {}
    for line in output.text.splitlines():
        if len(line) > 4_000 or not line.strip():
            continue
        made = _finding(output, line)
        if made:
            found.setdefault(made.statement, made)
    return list(found.values())


def _finding(output: Output, line: str) -> Finding | None:
    fault = fault_of(line)
    state = _FAILED.search(line)
    level = fault.level_of("") if fault else levels.of_text(line)
    if state:
        level = levels.worse(level, "warning" if state[0] == "Pending" else "error")
    if levels.RANK[level] < levels.RANK["warning"]:
        return None
    score = {"warning": 0.3, "error": 0.5, "critical": 0.6}[level] + (0.2 if fault else 0.1 if state else 0.0)
    return Finding(
        kind="command.error",
        statement=shorten((f"{fault.says}: " if fault else "") + line.strip(), 240),
        severity=levels.severity(level),
        entity=_entity(output, line),
        quote=quote(line),
        source=Source(command=output.command),
        score=round(score, 3),
        reason=fault.says if fault else f"state {state[0]}" if state else "the line speaks of a failure",
    )


def _entity(output: Output, line: str) -> str:
    """The row's own name in a table of objects, else whom the command asks about."""
    header = output.text.lstrip().split("\n", 1)[0].split()
    if header[:1] in (["NAME"], ["NAMESPACE"]) and "NAME" in header:
        cells = line.split()
        position = header.index("NAME")
        return cells[position] if position < len(cells) else ""
    return subject(output.command)
