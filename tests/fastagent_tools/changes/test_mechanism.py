"""Known ways from changed lines to a failure of a kind."""

import pytest

from fastagent_tools.changes.mechanism import mechanism


@pytest.mark.parametrize(
    ("failing", "changed"),
    [
        ("write /var/log/app: no space left on device", "-level: info\n+level: debug"),
        ("java.lang.OutOfMemoryError: out of memory", "+  cache_entries: 900000"),
        ("FATAL: sorry, too many clients already", "-pool_size: 5\n+pool_size: 50"),
        ("failed to decode order: missing required field 'sum'", '-  Sum int `json:"sum"`'),
        ('ERROR: relation "favorites" does not exist', "+ SELECT id FROM favorites"),
        ("401 Unauthorized: token expired", "-  leeway: 60\n+  leeway: 0  # jwt"),
        ("ModuleNotFoundError: No module named 'yaml'", "-pyyaml==6.0.1"),
    ],
)
def test_a_way_is_named_where_the_failure_and_the_lines_fit(failing: str, changed: str) -> None:
    assert mechanism(failing, changed)


@pytest.mark.parametrize(
    ("failing", "changed"),
    [
        ("", ""),
        ("no space left on device", "+  color: red"),
        ("connection refused", "-level: info\n+level: debug"),
        ("everything is fine", "+ SELECT id FROM favorites"),
    ],
)
def test_no_way_is_named_where_only_one_side_fits(failing: str, changed: str) -> None:
    assert mechanism(failing, changed) == ""
