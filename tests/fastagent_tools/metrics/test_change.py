"""Whether a series left its normal course: the kind decides which way hurts, and noise is no change."""

import pytest

from fastagent_tools.metrics.change import Change, change_of
from fastagent_tools.metrics.kinds import kind_of
from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.windows import Windows
from fastagent_tools.text.sheet import Sheet

WINDOWS = Windows(normal=(0, 1190), issue=(1200, 1800), started_s=1200)


def series(metric: str, before: list[float], after: list[float]) -> Series:
    values = before + after
    start = 1200 - 60 * len(before)
    lines = [f"row {i}" for i in range(len(values))]
    return Series(
        "web",
        metric,
        Sheet("metrics/m.csv", lines),
        [start + 60.0 * i for i in range(len(values))],
        values,
        list(range(len(values))),
    )


def changed(metric: str, before: list[float], after: list[float]) -> Change | None:
    return change_of(series(metric, before, after), WINDOWS)


STEADY = [10.0, 11.0, 9.0, 10.0, 10.5, 9.5, 10.0, 10.0, 11.0, 9.0]


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("cpu_usage_percent", "saturation"), ("CpuUsageRate(%)", "saturation"), ("MemoryUsageRate(%)", "saturation"),
        ("http_5xx_ratio", "errors"), ("orders_failed_total", "errors"), ("availability_Average", "availability"),
        ("PodSuccessRate(%)", "availability"), ("latency_p99", "latency"), ("request_duration_seconds", "latency"),
        ("requests_Sum", "requests"), ("db_connections", "queue"), ("kafka_consumer_lag", "queue"), ("temperature", "other"),
    ],
)  # fmt: skip
def test_a_metric_is_known_by_its_name(metric: str, kind: str) -> None:
    assert kind_of(metric) == kind


def test_a_step_is_a_change_from_its_first_point_on() -> None:
    change = changed("latency_avg_ms", STEADY, [10.0, 10.0, 90.0, 95.0, 92.0])
    assert change is not None
    assert (change.base, change.peak, change.rose) == (10.0, 95.0, True)
    assert change.onset_s == 1200 + 2 * 60


def test_a_backlog_that_was_empty_in_good_times_is_a_change_when_it_grows() -> None:
    change = changed("queue_depth", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [5.0 * n for n in range(1, 16)])
    assert change is not None
    assert (change.base, change.rose) == (0.0, True)


def test_noise_is_no_change_and_neither_is_a_single_blip() -> None:
    assert changed("latency_avg_ms", STEADY, [11.0, 9.0, 10.0, 11.0]) is None
    assert changed("latency_avg_ms", STEADY, [10.0, 90.0, 10.0, 10.0]) is None


def test_what_gets_better_is_no_change() -> None:
    assert changed("error_rate", STEADY, [1.0, 1.0, 1.0]) is None
    assert changed("availability", [99.0] * 9, [100.0] * 4) is None
    assert changed("availability", [99.0] * 9, [40.0] * 4) is not None


def test_of_a_capacity_points_count_and_not_how_unusual_they_are() -> None:
    assert changed("cpu_usage_percent", [0.3] * 12, [1.5] * 4) is None
    assert changed("cpu_usage_percent", [20.0, 80.0, 5.0, 60.0, 10.0, 15.0, 12.0, 18.0], [99.0] * 4) is not None
    assert changed("cpu_utilization", [0.2] * 9, [0.95] * 4) is not None


def test_a_counter_is_judged_by_what_it_adds() -> None:
    steady = [float(i) for i in range(12)]
    assert changed("errors_total", steady, [12.0, 13.0, 14.0, 15.0]) is None
    change = changed("errors_total", steady, [60.0, 120.0, 180.0, 240.0])
    assert change is not None
    assert change.base == 1.0


def test_a_metric_that_was_always_zero_has_changed_when_it_is_not() -> None:
    assert changed("errors", [0.0] * 9, [3.0, 4.0, 5.0]) is not None
    assert changed("errors", [0.0] * 9, [0.0] * 3) is None


def test_without_a_normal_time_the_series_itself_says_what_is_usual() -> None:
    alone = Windows(None, (0, 1800))
    assert change_of(series("latency", STEADY * 2, [90.0, 95.0]), alone) is not None
