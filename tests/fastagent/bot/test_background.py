"""Real processes: what they do is defined here, and imported by them."""

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from fastagent.bot.background import READY, Background
from fastagent.bot.settings import Settings
from fastagent.errors import InputError


def noting(settings: Settings, pipe: Connection) -> None:
    """Notes its start, each waking, and its end; a second waking kills it."""
    notes = settings.db
    with notes.open("a") as file:
        print("start", file=file, flush=True)
        pipe.send_bytes(READY)
        try:
            pipe.recv_bytes()
            print("wake", file=file, flush=True)
            pipe.recv_bytes()
            os._exit(7)
        except (EOFError, OSError):
            print("end", file=file, flush=True)


def failing(settings: Settings, pipe: Connection) -> None:
    pipe.send_bytes(b"an extra is missing")


def dying(settings: Settings, pipe: Connection) -> None:
    os._exit(3)


def noted(path: Path) -> list[str]:
    return path.read_text().split()


def test_a_worker_is_woken_and_ends_when_it_is_stopped(tmp_path: Path) -> None:
    background = Background(Settings(tmp_path / "notes"), noting)
    background.start()
    assert background.alive
    background.wake()
    background.stop()
    assert not background.alive
    assert noted(tmp_path / "notes") == ["start", "wake", "end"]
    background.wake()
    background.stop()


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    background = Background(Settings(tmp_path / "notes"), noting)
    background.start()
    background.wake()
    background.wake()
    gives_up_at = time.monotonic() + 30
    while noted(tmp_path / "notes").count("start") < 2:
        assert time.monotonic() < gives_up_at
    background.stop()
    assert noted(tmp_path / "notes")[:3] == ["start", "wake", "start"]


@pytest.mark.parametrize(("work", "words"), [(failing, "an extra is missing"), (dying, "died while it started")])
def test_what_keeps_a_worker_from_starting_is_raised_to_the_starter(tmp_path: Path, work: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Background(Settings(tmp_path / "notes"), work).start()  # type: ignore[arg-type]
