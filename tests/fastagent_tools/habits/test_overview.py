"""What services do in a request, before and since: steps that stop, errors that come, and what says nothing."""

from collections.abc import Iterable
from pathlib import Path

from fastagent.state import Finding
from tests.fastagent_tools.looking import bundle, look

MANY = 12


def request(n: int, *steps: str, service: str = "cart", hour: int = 10) -> str:
    """The lines that one service logs in one request."""
    return "".join(
        f"2026-01-01T{hour}:{n % 60:02}:0{i}Z INFO service={service} trace_id={n:032x} {step}\n"
        for i, step in enumerate(steps)
    )


def failure(n: int, text: str) -> str:
    return request(n, text, hour=11).replace("INFO", "ERROR")


async def habits(root: Path, before: Iterable[str], since: Iterable[str]) -> list[Finding]:
    files = {"logs/cart/normal_1.log": "".join(before), "logs/cart/now.log": "".join(since)}
    return list((await look(bundle(root, files), "request_habits")).findings)


USUAL = ("loaded basket of user", "asked for prices", "sent the basket")


async def test_a_step_that_no_longer_follows_its_anchor_is_found_and_the_anchor_quoted(tmp_path: Path) -> None:
    since = [request(100 + n, *USUAL[:2], hour=11) for n in range(MANY)]
    (found,) = await habits(tmp_path, [request(n, *USUAL) for n in range(MANY)], since)
    assert (found.kind, found.entity, found.severity) == ("habit.broken_off", "cart", "error")
    assert f"0 of {MANY} requests, {MANY} of {MANY} before" in found.statement
    assert found.quote in since[0].splitlines()
    assert (found.source.file, found.source.line) == ("logs/cart/now.log", since[0].splitlines().index(found.quote) + 1)


async def test_less_load_is_no_broken_habit(tmp_path: Path) -> None:
    seen = await habits(
        tmp_path, [request(n, *USUAL) for n in range(50)], [request(100 + n, *USUAL, hour=11) for n in range(5)]
    )
    assert seen == []


async def test_an_error_of_its_own_that_never_came_before_is_a_complaint_in_its_words(tmp_path: Path) -> None:
    (found,) = await habits(
        tmp_path,
        [request(n, *USUAL) for n in range(MANY)],
        [request(100 + n, *USUAL[:2], hour=11) + failure(100 + n, "basket has a negative sum") for n in range(MANY)],
    )
    assert found.kind == "habit.complaint"
    assert "it complains:" in found.statement
    assert "negative sum" in found.quote


async def test_an_exception_breaks_work_off_and_is_no_complaint(tmp_path: Path) -> None:
    (found,) = await habits(
        tmp_path,
        [request(n, *USUAL) for n in range(MANY)],
        [request(100 + n, *USUAL[:2], hour=11) + failure(100 + n, "NullPointerException: none") for n in range(MANY)],
    )
    assert found.kind == "habit.broken_off"


async def test_one_request_that_went_otherwise_is_chance(tmp_path: Path) -> None:
    since = [request(100, *USUAL[:2], hour=11), *(request(101 + n, *USUAL, hour=11) for n in range(MANY))]
    assert await habits(tmp_path, [request(n, *USUAL) for n in range(MANY)], since) == []


async def test_what_every_service_ceases_to_do_tells_less_of_each(tmp_path: Path) -> None:
    before = "".join(request(n, *USUAL) for n in range(MANY))
    since = "".join(request(100 + n, *USUAL[:2], hour=11) for n in range(MANY))
    (alone,) = await habits(tmp_path / "one", [before], [since])
    of_both = {f"logs/{s}/{n}.log": text for s in ("cart", "web") for n, text in (("normal", before), ("now", since))}
    shared = (await look(bundle(tmp_path / "two", of_both), "request_habits")).findings
    assert {f.entity for f in shared} == {"cart", "web"}
    assert all(f.score < alone.score for f in shared)


async def test_without_ids_or_without_good_times_there_is_nothing_to_compare(tmp_path: Path) -> None:
    lines = "".join(f"2026-01-01T10:00:{n:02}Z INFO service=cart done\n" for n in range(30))
    assert await habits(tmp_path, [lines], [lines]) == []
    only_since = "".join(request(n, *USUAL) for n in range(MANY))
    assert await habits(tmp_path / "x", [], [only_since]) == []
