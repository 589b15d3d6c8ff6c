"""Processes of our own on loopback: started for one recording, ended by their pid, and the shell of an on-call person."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_READY_S = 20.0
_HELD: list[socket.socket] = []
_PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"  # where servers live, which a user's PATH may lack
ENVIRONMENT = {"PATH": _PATH, "LC_ALL": "C", "TZ": "UTC", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def program(name: str, package: str) -> str:
    """Where a program is. Without it the recording ends with a word on what to install."""
    found = shutil.which(name, path=_PATH)
    if found is None:
        sys.exit(f"no {name} found; install Debian's package `{package}`")
    return found


def free_port(*wanted: int) -> int:
    """The first of `wanted` that nobody has, else any. It is this recorder's until it ends.

    A UDP socket of the same number keeps it from other recorders until our server listens there.
    """
    for port in (*wanted, *[0] * 20):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
            held = socket.socket(type=socket.SOCK_DGRAM)
            try:
                probe.bind(("127.0.0.1", port))
                held.bind(probe.getsockname())
            except OSError:
                held.close()
                continue
            _HELD.append(held)
            return int(probe.getsockname()[1])
    raise OSError("no free port on loopback")


@contextmanager
def undisturbed() -> Iterator[None]:
    """A signal to stop waits until the block is over, so that nothing begins in it whose end nobody sees to."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals do not come here
        return
    pending: list[int] = []
    before = {number: signal.signal(number, lambda *_: pending.append(1)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if pending:
            raise KeyboardInterrupt


def start(
    command: Sequence[str | Path], log: Path, cwd: Path, env: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """A process whose output is appended to `log`, in a session of its own: Ctrl-C reaches the recorder only."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        return subprocess.Popen(
            command, cwd=cwd, env=ENVIRONMENT | dict(env or {}), stdout=file, stderr=file, start_new_session=True
        )


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to go; insist if it does not."""
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=5)


@contextmanager
def running(
    command: Sequence[str | Path], log: Path, cwd: Path, port: int | None = None, env: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process while the block runs; with `port`, the block begins when it answers there."""
    with ExitStack() as later:
        with undisturbed():
            process = start(command, log, cwd, env)
            later.callback(end, process)
        if port is not None:
            wait_for(port)
        yield process


def wait_for(port: int) -> None:
    """Return when something listens there. Raises `TimeoutError` after 20 s."""
    give_up_at = time.monotonic() + _READY_S
    while time.monotonic() < give_up_at:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port} after {_READY_S:.0f} s")


def shell(command: str, env: Mapping[str, str] | None = None, **aliases: str) -> str:
    """What a command line prints, errors included. `aliases` add the options a private server needs to a program."""
    functions = "".join(
        f'{name.replace("_", "-")}() {{ command {name.replace("_", "-")} {options} "$@"; }}\n'
        for name, options in aliases.items()
    )
    bash = ["bash", "-c", functions + command]  # a function's name holds a dash in bash only
    done = subprocess.run(
        bash, env=ENVIRONMENT | dict(env or {}), capture_output=True, text=True, timeout=20, check=False
    )
    return done.stdout + done.stderr


def fetch(port: int, path: str, timeout_s: float = 3.0) -> tuple[int, str, float]:
    """GET on loopback: status (0: no answer), body or error, and milliseconds."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        status, text = answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException) as error:
        status, text = 0, str(error)
    finally:
        connection.close()
    return status, text, (time.monotonic() - began) * 1000
