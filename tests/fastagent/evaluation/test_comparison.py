"""Two runs over the same cases: what stayed, what fell, and whether chance explains it."""

from typing import Any

from fastagent.evaluation.comparison import Pair, compare


def report(component: str, confidence: float = 0.9, commit: str | None = None) -> dict[str, Any]:
    cause = {"component": component, "category": "network", "label": None, "confidence": confidence}
    return {"status": "complete", "root_cause": cause, "change": {"commit": commit} if commit else None}


NOTHING: dict[str, Any] = {"status": "complete", "root_cause": None}


def test_the_same_verdict_may_be_less_sure() -> None:
    found = compare([Pair("a", report("web"), report("WEB", 0.5)), Pair("b", report("web"), report("web"))])
    assert (found.same.hits, found.weaker.hits, found.weaker.of) == (2, 1, 2)


def test_another_component_change_or_no_cause_is_another_verdict() -> None:
    pairs = [
        Pair("a", report("web"), report("cart")),
        Pair("b", report("web", commit="abc"), report("web", commit="def")),
        Pair("c", report("web"), NOTHING),
        Pair("d", NOTHING, NOTHING),
    ]
    found = compare(pairs)
    assert found.same.hits == 1
    assert [p.case for p in found.changed] == ["a", "b", "c"]
    assert (found.weaker.hits, found.weaker.of) == (3, 3)


def test_better_and_worse_are_counted_where_an_answer_is_known() -> None:
    change = [Pair(str(n), report("web"), report("cart"), was_right=True, is_right=False) for n in range(6)]
    found = compare([*change, Pair("x", report("web"), report("cart"))])
    assert (found.better, len(found.worse)) == ((), 6)
    assert found.p_value < 0.05
