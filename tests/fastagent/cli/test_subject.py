"""A past time as people write it, and the incident that began then."""

from datetime import UTC, datetime

import pytest

from fastagent.cli.subject import at_time, live_commands, moment
from fastagent.errors import InputError
from fastagent.state import Incident

NOW = datetime(2026, 1, 2, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("2026-01-01T05:40:00Z", "2026-01-01T05:40:00Z"),
        ("2026-01-01 05:40", "2026-01-01T05:40:00Z"),
        ("2026-01-01T05:40:00+02:00", "2026-01-01T03:40:00Z"),
        ("05:40", "2026-01-02T05:40:00Z"),
        ("23:15", "2026-01-01T23:15:00Z"),
        ("2h ago", "2026-01-02T08:00:00Z"),
        (" 90m ", "2026-01-02T08:30:00Z"),
    ],
)
def test_a_past_time_is_understood(text: str, then: str) -> None:
    incident = at_time(Incident("x"), moment(text, NOW))
    assert isinstance(incident, Incident)
    assert incident.started_at == then


@pytest.mark.parametrize("text", ["", "soon", "25:70", "2026-13-01", "2031-01-01", "11:00 tomorrow", "1e9d"])
def test_what_is_no_past_time_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError, match="--at"):
        moment(text, NOW)


def test_commands_are_asked_about_what_led_to_it_and_what_came_of_it() -> None:
    assert live_commands(Incident("x"), NOW).around == ("2026-01-02 09:30:00", "2026-01-02 10:10:00")
    assert live_commands(Incident("x")).around is None
