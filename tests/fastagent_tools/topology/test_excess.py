"""Blame is conserved along calls: what callees explain is taken off their callers."""

import pytest

from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.windows import Windows
from fastagent_tools.text.sheet import Sheet
from fastagent_tools.topology.excess import Symptom, blame
from fastagent_tools.topology.graph import Graph

WINDOWS = Windows(normal=(0, 540), issue=(600, 900))
GRAPH = Graph([("web", "cart"), ("web", "ads"), ("cart", "db")])


def series(entity: str, metric: str, normal: float, issue: float) -> Series:
    values = [normal] * 10 + [issue] * 6
    return Series(entity, metric, Sheet("m.csv", ["row"] * 16), [60.0 * i for i in range(16)], values, list(range(16)))


def of(kind: str, normal: float, **issue: float) -> list[Series]:
    """Every service gets a hundred requests a minute and its own value in the issue window."""
    return [series(name, f"{kind}_avg", normal, value) for name, value in issue.items()] + [
        series(name, "requests", 100, 100) for name in issue
    ]


def test_the_deepest_callee_whose_waiting_is_its_own_is_to_blame() -> None:
    ranked = blame(Symptom("web", "latency"), of("latency", 0.1, web=2.2, cart=2.1, ads=0.1, db=2.0), GRAPH, WINDOWS)
    assert ranked[0].entity == "db"
    assert ranked[0].blame == pytest.approx(6 * 100 * 1.9 * 1.05)


def test_a_service_in_the_middle_keeps_what_its_callees_do_not_explain() -> None:
    ranked = blame(Symptom("web", "latency"), of("latency", 0.1, web=2.2, cart=2.1, ads=0.1, db=0.1), GRAPH, WINDOWS)
    assert ranked[0].entity == "cart"


def test_failures_are_followed_in_the_same_way_in_percent_or_not() -> None:
    for unit in (1.0, 100.0):
        values = {"web": 0.5, "cart": 0.52, "ads": 0.99, "db": 0.55}
        told = of("availability", 0.99 * unit, **{k: v * unit for k, v in values.items()})
        assert blame(Symptom("web", "availability"), told, GRAPH, WINDOWS)[0].entity == "db"


def test_few_slow_requests_weigh_less_than_many() -> None:
    told = of("latency", 0.1, web=1.1, cart=1.0, ads=3.0, db=1.0)
    told = [series("ads", "requests", 1, 1) if s.entity == "ads" and s.metric == "requests" else s for s in told]
    assert blame(Symptom("web", "latency"), told, GRAPH, WINDOWS)[0].entity == "db"


def test_the_symptom_itself_is_seldom_the_cause_but_may_be() -> None:
    assert blame(Symptom("web", "latency"), of("latency", 0.1, web=2.0, cart=0.1), GRAPH, WINDOWS)[0].entity == "web"


def test_a_service_without_a_history_is_no_cause() -> None:
    fresh = Series(
        "db", "latency_avg", Sheet("m.csv", ["row"] * 16), [600.0 + 60 * i for i in range(6)], [9.0] * 6, list(range(6))
    )
    told = [s for s in of("latency", 0.1, web=2.0, cart=1.9) if s.entity != "db"] + [fresh]
    assert "db" not in [b.entity for b in blame(Symptom("web", "latency"), told, GRAPH, WINDOWS)]


def test_without_a_normal_window_nobody_is_blamed() -> None:
    assert blame(Symptom("web", "latency"), of("latency", 0.1, web=2.0), GRAPH, Windows(None, (0, 900))) == []


def test_a_graph_may_have_cycles() -> None:
    assert Graph([("a", "b"), ("b", "a"), ("b", "c")]).below("a") == {"a", "b", "c"}
