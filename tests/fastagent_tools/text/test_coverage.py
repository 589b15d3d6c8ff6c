import pytest

from fastagent_tools.text.coverage import KIND, ends_before

BEGAN = "2026-01-01T10:00:00Z"
BEGAN_S = 1767261600.0


def test_what_ends_before_the_incident_says_so() -> None:
    (finding,) = ends_before("logs", BEGAN_S - 60, BEGAN)
    assert finding.kind == KIND
    assert "end at 2026-01-01T09:59:00Z" in finding.statement
    assert finding.severity == "info"


@pytest.mark.parametrize(
    ("last_s", "started_at"),
    [(BEGAN_S + 1, BEGAN), (BEGAN_S - 200_000, BEGAN), (None, BEGAN), (BEGAN_S, None), (BEGAN_S, "yesterday")],
    ids=["reaches it", "another clock", "no clock", "no incident", "no time"],
)
def test_of_everything_else_nothing_is_said(last_s: float | None, started_at: str | None) -> None:
    assert ends_before("logs", last_s, started_at) == ()
