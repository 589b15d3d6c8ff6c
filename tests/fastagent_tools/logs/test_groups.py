"""The time that logs cover."""

import pytest

from fastagent_tools.logs.events import Event
from fastagent_tools.logs.groups import Span, span_of
from fastagent_tools.text.times import Stamp

DAY_S = 86_400.0
HOUR = [float(s) for s in range(0, 3600, 10)]


def span(stamps: list[float]) -> Span | None:
    return span_of(Event(0, n, 1, Stamp(at_s, True), "info", "x", "web") for n, at_s in enumerate(stamps))


@pytest.mark.parametrize("strays", [[-DAY_S], [2 * DAY_S], [-DAY_S, -2 * DAY_S, 2 * DAY_S]])
def test_a_few_lines_of_another_day_do_not_stretch_the_time(strays: list[float]) -> None:
    assert span(HOUR + strays) == Span(0.0, 3590.0)


def test_a_flood_at_the_end_does_not_make_strays_of_all_that_went_before() -> None:
    assert span([60.0 * n for n in range(60)] + [3600.0 + n / 1000 for n in range(10_000)]) == Span(0.0, 3609.999)


def test_a_part_of_the_lines_that_is_far_away_belongs_to_the_time() -> None:
    assert span(HOUR + [DAY_S + s for s in HOUR[:36]]) == Span(0.0, DAY_S + 350.0)


def test_without_a_clock_there_is_no_time() -> None:
    assert span([]) is None
