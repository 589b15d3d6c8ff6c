"""A PostgreSQL of our own on loopback: started for one recording, stopped by its pid, gone without a trace."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from processes import free_port, undisturbed

INSTALLED = Path("/usr/lib/postgresql")  # where Debian keeps one folder a version
DATABASE = "shop"
_READY_S = 20.0


@dataclass(slots=True)
class Server:
    """A running server. `env` is what clients need to reach it."""

    bin: Path
    port: int
    env: dict[str, str]
    sessions: list["subprocess.Popen[str]"] = field(default_factory=list)

    def query(self, sql: str, user: str, application: str) -> tuple[bool, str]:
        """One short session: whether it worked, and what psql printed."""
        done = subprocess.run(
            [self.bin / "psql", "-X", "-q", "-At", "-d", DATABASE, "-c", sql],
            env=self._as(user, application),
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.returncode == 0, (done.stdout if done.returncode == 0 else done.stderr).strip()

    def keep_open(self, sql: str, user: str, application: str) -> None:
        """A session that runs `sql` and then stays, until the server goes."""
        session = subprocess.Popen(
            [self.bin / "psql", "-X", "-q", "-d", DATABASE],
            env=self._as(user, application),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.sessions.append(session)
        if session.stdin is not None:
            session.stdin.write(f"{sql};\n")

    def recorded(self, command: str) -> str:
        """What an on-call person's command prints now; a superuser still has the reserved slots."""
        path = f"{self.bin}:{self.env['PATH']}"
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**self._as("postgres", "psql"), "PGDATABASE": DATABASE, "PATH": path},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.stdout + done.stderr

    def close_sessions(self) -> None:
        """End what `keep_open` began."""
        for session in self.sessions:
            session.kill()
            session.communicate()

    def _as(self, user: str, application: str) -> dict[str, str]:
        return {**self.env, "PGUSER": user, "PGAPPNAME": application}


def options() -> argparse.ArgumentParser:
    """Where servers are installed, as an option of a recorder."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--postgres", type=Path, default=INSTALLED, help="folder of installed versions (%(default)s)")
    return parser


def installed(versions: Path) -> Path:
    """The programs of the newest server below a folder. Without one the recording ends with a word on that."""
    found = sorted(versions.glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    if not found:
        sys.exit("no PostgreSQL server found; install Debian's package `postgresql`")
    return found[-1].parent


@contextmanager
def server(programs: Path, folder: Path, log: Path, settings: Mapping[str, Any], schema: str) -> Iterator[Server]:
    """A server with data in `folder` while the block runs. It refuses to be root, so as root it is `postgres`."""
    owner = _owner(folder)
    port = free_port(5432)
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "HOME": str(folder)}
    running = Server(programs, port, env | {"PGHOST": "127.0.0.1", "PGPORT": str(port)})
    _create(programs, folder, {**settings, "port": port}, env, owner)
    log.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as later:
        with undisturbed(), log.open("wb") as file:
            # its own session, so that Ctrl-C reaches the recorder only, which then stops the server in order
            command = [str(programs / "postgres"), "-D", str(folder / "data")]
            process = subprocess.Popen(command, env=env, cwd=folder, stderr=file, start_new_session=True, **owner)
            later.callback(_stop, running, process)
        _prepare(running, schema)
        yield running


def _stop(running: Server, process: "subprocess.Popen[bytes]") -> None:
    """An immediate shutdown: nothing in it is worth keeping."""
    running.close_sessions()
    process.send_signal(signal.SIGQUIT)
    process.wait(timeout=20)


def _owner(folder: Path) -> dict[str, Any]:
    if os.getuid() != 0:
        return {}
    shutil.chown(folder, "postgres", "postgres")
    return {"user": "postgres", "group": "postgres", "extra_groups": []}


def _create(
    programs: Path, folder: Path, settings: Mapping[str, Any], env: Mapping[str, str], owner: dict[str, Any]
) -> None:
    data = folder / "data"
    options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
    command = [str(programs / "initdb"), "-D", str(data), *options]
    subprocess.run(command, env=env, cwd=folder, check=True, stdout=subprocess.DEVNULL, **owner)
    with (data / "postgresql.conf").open("a", encoding="utf-8") as config:
        config.writelines(f"{name} = '{value}'\n" for name, value in settings.items())


def _prepare(running: Server, schema: str) -> None:
    """Wait until it answers, then make the database."""
    give_up_at = time.monotonic() + _READY_S
    env = {**running.env, "PGUSER": "postgres", "PGDATABASE": "postgres"}  # else this machine's user is in the log
    ready = [str(running.bin / "pg_isready"), "-q"]
    while subprocess.run(ready, env=env, check=False).returncode:
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"PostgreSQL did not start within {_READY_S:.0f} s")
        time.sleep(0.1)
    psql = str(running.bin / "psql")
    subprocess.run([psql, "-X", "-q", "-c", f"CREATE DATABASE {DATABASE}"], env=env, check=True)
    subprocess.run([psql, "-X", "-q", "-d", DATABASE, "-c", schema], env=env, check=True)
