from fastagent.state import Incident
from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.windows import windows_of
from fastagent_tools.text.sheet import Sheet

HOUR = [Series("web", "m", Sheet("x", []), [1767261600.0 + 60 * i for i in range(61)], [1.0] * 61, [0] * 61)]


def test_the_incident_says_when_it_was_normal_and_when_not() -> None:
    told = Incident(
        "x",
        normal_window=["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"],
        issue_window=["2026-01-01T10:10:00Z", "2026-01-01T10:20:00Z"],
    )
    windows = windows_of(told, HOUR)
    assert windows.normal == (1767225600, 1767229200)
    assert windows.issue == (1767262200, 1767262800)


def test_else_the_time_before_it_started_was_normal_but_for_a_lead() -> None:
    windows = windows_of(Incident("x", started_at="2026-01-01T10:40:00Z"), HOUR)
    assert windows.normal is not None
    assert windows.normal[1] == windows.issue[0] < 1767261600 + 40 * 60
    assert windows.issue[1] == 1767261600 + 60 * 60


def test_a_start_that_lies_elsewhere_or_nowhere_says_nothing() -> None:
    for told in (Incident("x"), Incident("x", started_at="2031-01-01T00:00:00Z"), Incident("x", started_at="soon")):
        assert windows_of(told, HOUR).normal is None


def test_windows_that_are_none_are_passed_over() -> None:
    for value in ("yesterday", ["x", "y"], [1], {"from": 1}, ["2026-01-01T10:20:00Z", "2026-01-01T10:10:00Z"]):
        assert windows_of(Incident("x", issue_window=value), HOUR).started_s is None
