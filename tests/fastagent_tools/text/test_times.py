"""Time stamps of many shapes, to one."""

import pytest

from fastagent_tools.text.times import Clock, Stamp, from_epoch, iso

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T12:00:00Z", "2026-01-01 12:00:00 UTC", "2026-01-01T13:00:00+01:00", "2026/01/01 12:00:00", "01/Jan/2026:12:00:00 +0000",
        "Jan  1 12:00:00", "Thu Jan 1 12:00:00 2026", "01 Jan 2026 12:00:00", "0101 12:00:00", "1767268800", "1767268800000", "1767268800000000000",
        "[2026-01-01T12:00:00Z]",
    ],
)  # fmt: skip
def test_every_shape_is_the_same_moment(text: str) -> None:
    stamp = Clock(2026).read(text)
    assert stamp is not None
    assert stamp.at_s == NOON


def test_fractions_are_kept_and_zones_are_known_or_not() -> None:
    assert Clock(2026).read("2026-01-01T12:00:00.250Z") == Stamp(NOON + 0.25, zoned=True)
    assert Clock(2026).read("2026-01-01 12:00:00,250") == Stamp(NOON + 0.25, zoned=False)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-45T99:99:99Z", "12345", "99999999999999999999", "2026-02-30T00:00:00Z"]
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert Clock(2026).read(text) is None


def test_a_stamp_is_written_with_a_zone_only_where_it_had_one() -> None:
    assert iso(Stamp(NOON, zoned=True)) == "2026-01-01T12:00:00Z"
    assert iso(Stamp(NOON, zoned=False)) == "2026-01-01T12:00:00"
    assert iso(None) is None
    assert iso(from_epoch(4.0)) is None
