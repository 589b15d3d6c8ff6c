"""CSV to series, whatever the columns are called and however the table lies."""

import pytest

from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.tables import NoTimeColumnError, read_table
from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.text.times import Clock

NAMES = Names(["web", "cart", "cart-db"])


def read(*lines: str, stem: str = "metrics") -> dict[tuple[str, str], Series]:
    found = read_table(Sheet("metrics/x.csv", lines), stem, NAMES, Clock(2026))
    return {(s.entity, s.metric): s for s in found}


def test_a_long_table_has_one_series_for_each_entity_and_metric() -> None:
    found = read(
        "timestamp,service,metric,value",
        "2026-01-01T10:00:00Z,web,latency_s,0.1",
        "2026-01-01T10:00:00Z,cart,latency_s,0.2",
        "2026-01-01T10:01:00Z,web,latency_s,0.3",
    )
    assert found["web", "latency_s"].values == [0.1, 0.3]
    assert found["web", "latency_s"].times_s[1] - found["web", "latency_s"].times_s[0] == 60
    assert found["cart", "latency_s"].values == [0.2]


@pytest.mark.parametrize(
    "time", ["2026-01-01 10:00:00", "1767261600", "1767261600000", "2026-01-01 10:00:00.1 +0000 UTC m=+0.1"]
)
def test_times_are_read_as_they_are_written(time: str) -> None:
    found = read("Time,PodName,CpuUsageRate(%)", f"{time},cart-579f59597d-wc2lz,3.5")
    assert round(found["cart", "CpuUsageRate(%)"].times_s[0]) == 1767261600


def test_a_column_is_named_by_its_service_and_a_pair_of_services_is_a_call() -> None:
    found = read("ts,web_latency,cart-db_connections,web_cart,free", "1767261600,1,2,3,4", stem="mesh")
    assert set(found) == {("web", "latency"), ("cart-db", "connections"), ("web->cart", "mesh"), ("mesh", "free")}


def test_a_series_cites_the_row_of_each_point_even_after_rows_that_do_not_fit() -> None:
    series = read("ts,service,metric,value", "nonsense", "1767261600,web,m,NaN", "1767261660,web,m,7")["web", "m"]
    assert (series.values, series.source(0).line) == ([7.0], 4)
    assert series.quote(0) == "1767261660,web,m,7"


def test_of_a_row_too_long_to_show_the_cells_before_the_value_are_quoted() -> None:
    wide = ",".join(f"column_{i}" for i in range(100))
    series = read(f"ts,{wide}", "1767261600," + ",".join(f"{i}.123456" for i in range(100)))["metrics", "column_99"]
    assert series.quote(0).endswith(",99.123456")
    assert len(series.quote(0)) <= 300


def test_a_table_without_times_is_no_series() -> None:
    with pytest.raises(NoTimeColumnError):
        read("service,metric,value", "web,m,7")


@pytest.mark.parametrize(
    "lines", [[], [""], ["timestamp"], ["timestamp,value", "\x00,1"], ["timestamp,value", "x,y,z"]]
)
def test_what_is_no_table_gives_nothing(lines: list[str]) -> None:
    try:
        assert not any(s.values for s in read(*lines).values())
    except NoTimeColumnError:
        assert "timestamp" not in "".join(lines)
