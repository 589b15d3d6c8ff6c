"""The tool `read_command`: what a recorded (or allowed) command prints, and what that says."""

import asyncio
import re
from dataclasses import replace

from fastagent.state import Finding, Gap, Observation, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.commands.lines import findings_in
from fastagent_tools.commands.reader import Output, Reader, readers
from fastagent_tools.logs.templates import mostly
from fastagent_tools.text.quote import shorten

MAX_TEXT = 2_500
MAX_READ_CHARS = 4_000_000  # of an output; what lies in the middle of a longer one is not judged
_SHORT_CHARS = 2_000  # of an output that says no more than that there is nothing
_MAX_OTHERS = 20
_MAX_FINDINGS = 12
_NOTHING_THERE = re.compile(
    r"no resources found|error from server \(notfound\)|\bnot found\b|no such (file|object|container|pod)|\(0 rows\)"
    r"|does(n't| not) (exist|have a resource)|no entries|no (data|logs|results|events|matches)\b"
    r"|(could not|couldn't|failed to) find\b"
    r"|metrics api not available",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(r"\s*(?:stdout:|stderr:)?\s*Error from server \(Forbidden\)")  # us, who ask; no fault there
_IS_LOG = re.compile(r"\blogs?\b|journalctl|\btail\b", re.IGNORECASE)
_WRAPPER = re.compile(r"\s*(stdout:|stderr:|output:|command `.*failed with return code 1)\s*$", re.IGNORECASE)


@tool(expect_s=0.1)
async def read_command(scope: Scope, command: str) -> Observation:
    """What a command prints (list_files names the recorded ones), with what it says about the incident."""
    text = await scope.commands.run(command)
    output = Output(command, _middle_out(text, MAX_READ_CHARS), {}, _started(scope))
    fitting = await asyncio.to_thread(lambda: [r for r in readers() if r.fits(output)])
    forbidden = bool(_FORBIDDEN.match(text))
    if forbidden or (_is_nothing(text) and not any(r.read(output) for r in fitting)):
        said = shorten(text, 200) or "(no output)"
        return Observation(
            f"{shorten(command, 150)} shows nothing there: {said}",
            text=text[:300],
            gaps=(Gap(command, "forbidden" if forbidden else "absent"),),
            source=Source(command=command),
        )
    output = replace(output, others=await _others(scope, command, fitting))
    found = await asyncio.to_thread(_read, output, fitting)
    lines = text.count("\n") + 1
    shown = _middle_out(text, MAX_TEXT)
    return Observation(
        summary=shorten(_summary(command, text, lines, found), 400),
        findings=tuple(found[:_MAX_FINDINGS]),
        text=shown,
        left_out="the middle of the output (ask search_logs or a narrower command)" if len(shown) < len(text) else "",
        examined=lines,
        source=Source(command=command),
    )


def _read(output: Output, fitting: list[Reader]) -> list[Finding]:
    found = [f for reader in fitting for f in reader.read(output)]
    if not fitting:
        found = findings_in(output)
    return sorted(found, key=lambda f: -f.score)


def _is_nothing(text: str) -> bool:
    """Nothing was there to see, which is neither health nor a fault."""
    if len(text) > _SHORT_CHARS:
        return not text.strip()
    lines = [line for line in text.splitlines() if line.strip() and not _WRAPPER.match(line)]
    return not lines or (len(lines) <= 3 and bool(_NOTHING_THERE.search(text)))


async def _others(scope: Scope, command: str, fitting: list[Reader]) -> dict[str, str]:
    """Recorded outputs that the readers like to see beside this one."""
    wanted = [r.wants for r in fitting if r.wants]
    known = [c for c in scope.commands.known() if c != command and any(w.search(c) for w in wanted)]
    return {c: await scope.commands.run(c) for c in known[:_MAX_OTHERS]}


def _started(scope: Scope) -> str | None:
    return scope.incident.started_at


def _summary(command: str, text: str, lines: int, found: list[Finding]) -> str:
    asked = shorten(command, 120)
    if not found:
        usual = f"; mostly: {mostly(text)}" if _IS_LOG.search(command) else ""
        return f"{asked}: {lines} lines, nothing in them speaks of a fault{usual}."
    return f"{asked}: {lines} lines. {found[0].statement}"


def _middle_out(text: str, most: int) -> str:
    """The beginning and the end, in whole lines, with a mark between them."""
    if len(text) <= most:
        return text
    half = (most - 60) // 2
    head = text[:half].rpartition("\n")[0] or text[:half]
    tail = text[-half:].partition("\n")[2] or text[-half:]
    left = text.count("\n") - head.count("\n") - tail.count("\n") - 1
    return f"{head}\n… {max(left, 0)} lines left out …\n{tail}"
