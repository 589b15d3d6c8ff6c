import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastagent.alerts.times import iso


@pytest.mark.parametrize(
    "written",
    [
        "2026-01-02T03:04:05Z",
        "2026-01-02T04:04:05+01:00",
        "2026-01-02T03:04:05+0000",
        "2026-01-02 03:04:05",
        "2026-01-02 03:04:05 +0000 UTC",
        "2026-01-02 03:04:05 UTC",
        "2026/01/02 03:04:05 GMT",
        "Fri, 02 Jan 2026 03:04:05 GMT",
        "Fri Jan  2 03:04:05 UTC 2026",
        1767323045,
        1767323045.0,
        1767323045000,
        1767323045000000,
        1767323045000000000,
        "1767323045",
    ],
)
def test_every_way_of_writing_a_time_is_read(written: object) -> None:
    assert iso(written) == "2026-01-02T03:04:05Z"


def test_parts_of_a_second_are_kept() -> None:
    assert iso("2026-01-02T03:04:05.678901234Z") == "2026-01-02T03:04:05.678Z"


@pytest.mark.parametrize("written", ["", "0001-01-01T00:00:00Z", 0, "null"])
def test_placeholders_mean_not_known(written: object) -> None:
    assert iso(written) is None


@pytest.mark.parametrize("written", ["soon", True, None, [], -1, 1e300, float("nan"), "9999-12-31T23:59:59-23:00", "1"])
def test_anything_else_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="not a time"):
        iso(written)


@given(st.text(max_size=40))
def test_text_is_a_time_or_a_value_error(text: str) -> None:
    try:
        iso(text)
    except ValueError:
        return
