"""Commands of a live system: only what the allowlist takes, as argument vectors, ended at the deadline, remembered."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
from dataclasses import dataclass, field

from fastagent.allowlist import checked
from fastagent.errors import ToolError
from fastagent.state import Gap

MAX_OUTPUT_BYTES = 8 * 1024 * 1024
MAX_AT_ONCE = 4  # a system that is failing is not to be hammered
TIMEOUT_S = 10.0
_HEAD_CHARS = 2_000
# The program itself found nobody to ask, or may not: that is a gap in what is seen and no fault of the system.
_UNREACHABLE = re.compile(
    r"^.*(failed to connect to bus|could not connect to redis|cannot connect to the docker daemon|operation not permitted"
    r"|permission denied|connection to the server \S+ was refused|couldn't get current server api group list"
    r"|unable to connect to the server|no configuration has been provided|system has not been booted).*$",
    re.IGNORECASE | re.MULTILINE,
)
SUGGESTED = (  # what is worth reading on most systems, by program
    "kubectl get pods -A -o wide", "kubectl get events -A", "kubectl get nodes -o wide", "kubectl get deployments -A",
    "systemctl --failed --no-pager", "journalctl -p err -n 300 --no-pager -o short-iso", "dmesg -T --level=err,crit,alert,emerg",
    "df -h", "df -i", "free -m", "ss -ltn", "top -bn1", "docker ps -a", "redis-cli info", "uptime", "timedatectl status",
)  # fmt: skip


@dataclass(slots=True)
class LiveCommands:
    """Runs allowed commands here and now. `outputs` keeps what they printed, for a recording."""

    recorded: dict[str, str] = field(default_factory=dict)  # of a bundle: answered without running anything
    around: tuple[str, str] | None = None  # since, until: a past time that is asked about
    outputs: dict[str, str] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))

    def known(self) -> tuple[str, ...]:
        """What is recorded, and what is worth asking of the programs that are installed."""
        installed = [self._then(line) for line in SUGGESTED if shutil.which(line.split()[0])]
        return tuple(dict.fromkeys([*self.recorded, *installed]))

    def _then(self, line: str) -> str:
        """The command about the past time, where it can tell of the past."""
        if self.around is None or not has_past(line):
            return line
        return f"{line} --since '{self.around[0]}' --until '{self.around[1]}'"

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What cannot be known of a past time: commands that show the present only."""
        if self.around is None:
            return ()
        present = ", ".join(dict.fromkeys(line.split()[0] for line in self.outputs if not has_past(line)))
        window = f"{self.around[0]} … {self.around[1]}"
        return (Gap(f"{present}: the present only, and not {window}", "absent"),) if present else ()

    async def run(self, command: str) -> str:
        """What the command prints, errors included. Raises `ToolError` where it must not or cannot be run."""
        command = " ".join(command.split())
        if command in self.recorded:
            return self.recorded[command]
        if command not in self.outputs:
            words = checked(command)
            async with self._room:
                self.outputs[command] = await _run(words)
        return self.outputs[command]


def has_past(line: str) -> bool:
    """Whether a command can be asked about a past time."""
    return line.split(maxsplit=1)[0] == "journalctl"


async def _run(words: list[str]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # so that what it starts can be ended with it
            env={**os.environ, "LC_ALL": "C", "PAGER": "cat", "SYSTEMD_PAGER": "", "GIT_PAGER": "cat"},
        )
    except OSError as error:
        raise ToolError(f"{words[0]} cannot be run here: {error.strerror}") from None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            output = await _output(process)
    except TimeoutError:
        raise ToolError(f"{' '.join(words)}: gave no answer within {TIMEOUT_S:.0f} s") from None
    finally:
        await _end(process)
    if process.returncode and (unreachable := _UNREACHABLE.search(output[:_HEAD_CHARS])):
        raise ToolError(f"{' '.join(words)}: cannot look there from here: {unreachable[0].strip()}")
    return output


async def _output(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    kept, size = [], 0
    while chunk := await process.stdout.read(65_536):
        if size < MAX_OUTPUT_BYTES:
            kept.append(chunk)
        size += len(chunk)
    await process.wait()
    return b"".join(kept).decode("utf-8", "replace")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Nothing of ours runs on: neither past its time nor when the run is cancelled."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
