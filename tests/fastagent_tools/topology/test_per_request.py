import pytest

from fastagent_tools.metrics.series import Series
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.topology.per_request import per_request, seconds_in

SHEET = Sheet("m.csv", ["row"] * 5, 1)


def series(metric: str, *values: float) -> Series:
    times = [60.0 * i for i in range(len(values))]
    return Series("web", metric, SHEET, times, list(values), list(range(len(values))))


def test_a_mean_stays_as_it_is() -> None:
    mean = series("latency_average", 0.1, 0.2, 0.1)
    assert per_request(mean, {}) is mean


def test_a_running_total_is_divided_by_the_requests_of_each_step() -> None:
    load = Series("web", "requests_total", SHEET, [60.0, 120.0, 180.0], [10.0, 0.0, 5.0], [1, 2, 3])
    found = per_request(series("duration_ms_total", 0, 100, 100, 600), {"web": load})
    assert found is not None
    assert found.values == [10.0, 0.0, 100.0]


def test_a_running_total_without_requests_says_nothing_of_one_request() -> None:
    assert per_request(series("duration_ms_total", 0, 100, 200), {}) is None


@pytest.mark.parametrize(
    ("metric", "seconds"),
    [("duration_ms_total", 1e-3), ("latency_microseconds", 1e-6), ("latencyMillis", 1e-3), ("latency_average", 1.0)],
)
def test_the_name_says_the_unit(metric: str, seconds: float) -> None:
    assert seconds_in(metric) == seconds
