"""A Redis of our own on loopback, and a client for it: one socket that speaks RESP."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from processes import free_port, program, running


class RedisError(Exception):
    """What the server answered instead of a value."""


class Client:
    """One connection, named as CLIENT LIST will show it. Raises `RedisError` for error replies."""

    def __init__(self, port: int, name: str, password: str = "") -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._replies: IO[bytes] = self._socket.makefile("rb")
        try:
            if password:
                self.do("AUTH", password)
            self.do("CLIENT", "SETNAME", name)
        except RedisError:
            self.close()
            raise

    def close(self) -> None:
        """End the connection."""
        self._replies.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def do(self, *words: object) -> str:
        """Send one command; its answer, where that is a line, a number or a text."""
        self.send(*words)
        return self._reply()

    def send(self, *words: object) -> None:
        """Send one command and wait for nothing: for connections that said CLIENT REPLY OFF."""
        parts = [str(word).encode() for word in words]
        head = b"*%d\r\n" % len(parts)
        self._socket.sendall(head + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))

    def _reply(self) -> str:
        line = self._replies.readline().decode().rstrip("\r\n")
        kind, rest = line[:1], line[1:]
        if kind == "-":
            raise RedisError(rest)
        if kind == "$" and int(rest) >= 0:
            return self._replies.read(int(rest) + 2)[:-2].decode()
        return rest


@contextmanager
def redis(folder: Path, log: Path, *settings: object) -> Iterator[int]:
    """A server with its data in `folder` while the block runs; its port."""
    port = free_port(6379)
    command = [
        program("redis-server", "redis-server"),
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--dir",
        str(folder),
    ]
    with running([*command, *map(str, settings)], log, folder, port):
        yield port
