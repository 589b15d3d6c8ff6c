"""Who has fallen silent: seen where others go on, and not where a log is short, bursty or merely ends a little earlier."""

from pathlib import Path
from typing import Any

import pytest

from tests.fastagent_tools.looking import bundle, look

END_S = 600


def lines(upto_s: int, every_s: int = 5, message: str = "handled job") -> str:
    return "".join(
        f"2026-01-01T10:{s // 60:02d}:{s % 60:02d}Z INFO {message} {s}\n" for s in range(0, upto_s + 1, every_s)
    )


async def silent(root: Path, **files: str) -> list[Any]:
    seen = await look(bundle(root, {f"logs/{k}.log": v for k, v in files.items()}), "log_overview")
    return [f for f in seen.findings if f.kind == "log.silent"]


async def test_a_service_that_stops_while_others_go_on_is_named_with_its_last_words(tmp_path: Path) -> None:
    [found] = await silent(tmp_path, worker=lines(300), api=lines(END_S))
    assert found.entity == "worker"
    assert found.quote.endswith("handled job 300")
    assert (found.source.file, found.source.line) == ("logs/worker.log", 61)
    assert found.time == "2026-01-01T10:05:00Z"
    assert "nothing for the last 300 s" in found.statement


@pytest.mark.parametrize(
    "worker",
    [lines(END_S - 40), lines(300, every_s=20), lines(300, every_s=60) + lines(END_S, every_s=100)],
    ids=["it ends a little earlier", "too few lines to tell", "its pauses are long anyway"],
)
async def test_it_is_no_silence(tmp_path: Path, worker: str) -> None:
    assert await silent(tmp_path, worker=worker, api=lines(END_S)) == []


async def test_one_log_alone_cannot_fall_silent(tmp_path: Path) -> None:
    assert await silent(tmp_path, worker=lines(300)) == []


async def test_a_log_of_good_times_ends_by_its_nature(tmp_path: Path) -> None:
    assert await silent(tmp_path, api=lines(END_S), other=lines(END_S), normal_worker=lines(300)) == []


async def test_a_line_of_another_day_at_the_end_of_each_log_makes_nobody_silent(tmp_path: Path) -> None:
    stray = "2025-01-01T00:00:00Z ERROR agent: something else\n"
    assert await silent(tmp_path, worker=lines(END_S) + stray, api=lines(END_S) + stray, other=lines(END_S)) == []
