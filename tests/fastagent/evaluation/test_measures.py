"""Numbers from reports: shares with intervals, calibration, times; and how far chance alone goes."""

from typing import Any

import pytest

from fastagent.evaluation.judging import Verdict, judge
from fastagent.evaluation.measures import Share, is_answered, percentile, sign_test, summary

RIGHT, WRONG, UNASKED = Verdict(component=True), Verdict(component=False), Verdict()


def report(confidence: float = 0.9, verdict: str = "CONFIRMED", wall_s: float = 1.0) -> dict[str, Any]:
    cause = {"component": "web", "category": "network", "confidence": confidence, "verdict": verdict}
    return {
        "status": "complete", "root_cause": cause, "timing": {"wall_s": wall_s},
        "usage": {"input_tokens": 10, "output_tokens": 2}, "evidence": [{"verified": True}, {"verified": False}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763), (90, 100, 0.826, 0.945), (0, 0, 0.0, 1.0)],
)
def test_wilsons_interval_is_that_of_the_tables(hits: int, of: int, low: float, high: float) -> None:
    assert Share(hits, of).interval == pytest.approx((low, high), abs=0.001)


def test_a_summary_counts_what_was_asked_for_and_nothing_else() -> None:
    found = summary([(report(), RIGHT), (report(wall_s=3.0), WRONG), (report(), UNASKED)])
    assert (found.parts["component"].hits, found.parts["component"].of) == (1, 2)
    assert "category" not in found.parts
    assert (found.quotes.hits, found.quotes.of) == (3, 6)
    assert (found.wall_p50_s, found.wall_p95_s) == (1.0, 3.0)
    assert (found.tokens_in, found.tokens_out) == (30, 6)


def test_calibration_tells_sure_and_wrong_from_unsure_and_wrong() -> None:
    unsure = report(0.4, "INCONCLUSIVE")
    found = summary([(report(), RIGHT), (report(), WRONG), (unsure, WRONG)])
    assert (found.verdicts["CONFIRMED"].hits, found.verdicts["CONFIRMED"].of) == (1, 2)
    assert (found.surely_wrong.hits, found.surely_wrong.of) == (1, 3)


def test_reports_of_any_shape_are_counted_and_do_not_raise() -> None:
    odd: dict[str, Any] = {"status": "failed", "root_cause": None, "timing": None, "usage": [], "evidence": None}
    assert summary([(odd, UNASKED)]).answered.hits == 0
    assert summary([]).wall_p95_s == 0.0


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        ({"status": "complete", "root_cause": None}, True),
        ({"status": "partial", "root_cause": None}, False),
        ({"status": "partial", "root_cause": {"component": "x"}}, True),
        ({"status": "partial", "change": {"commit": "none"}}, True),
        ({"status": "failed", "root_cause": {"component": "x"}}, False),
        ({}, False),
    ],
)
def test_an_answer_is_a_cause_a_change_or_that_nothing_is_wrong(given: dict[str, Any], answered: bool) -> None:
    assert is_answered(given) is answered


@pytest.mark.parametrize(("better", "worse", "p"), [(0, 0, 1.0), (5, 5, 1.0), (0, 6, 0.03125), (1, 9, 0.021484375)])
def test_the_sign_test_is_exact_and_has_two_sides(better: int, worse: int, p: float) -> None:
    assert sign_test(better, worse) == pytest.approx(p)


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([1, 2, 3, 4], 0.5) == 2
    assert percentile([1, 2, 3, 4], 0.95) == 4


def test_health_is_right_where_health_was_expected_in_whatever_word() -> None:
    well = {"status": "complete", "root_cause": None}
    assert judge(well, {"category": "healthy"}).category
    assert judge(well, {"category": "none"}).category
    assert judge(well, {"category": "network"}).category is False
    assert judge({"status": "failed", "root_cause": None}, {"category": "healthy"}).category is False


def test_a_verdict_is_right_if_all_that_was_asked_for_is() -> None:
    assert Verdict(component=True, category=True, label=False).right
    assert Verdict(component=True, category=False).right is False
    assert Verdict(label=True).right is None
