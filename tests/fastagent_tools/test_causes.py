"""Evidence of all kinds, fused: what is decisive leads, what travels is taken off the callers, agreement helps."""

from fastagent.state import Finding
from fastagent_tools.causes import rank
from fastagent_tools.topology.graph import Graph

GRAPH = Graph([("web", "cart"), ("cart", "db")])


def finding(entity: str, kind: str, score: float, time: str | None = None) -> Finding:
    return Finding(kind, f"{entity} {kind}", "error", entity, time, "quote of it", score=score)


def names(*findings: Finding) -> list[str]:
    return [c.entity for c in rank(findings, GRAPH)]


def test_trouble_that_came_up_the_calls_is_its_callees() -> None:
    found = [
        finding("web", "log.error.new", 0.8),
        finding("cart", "log.error.new", 0.7),
        finding("db", "log.error.new", 0.6),
    ]
    assert names(*found)[0] == "db"


def test_trouble_of_its_own_making_stays_with_a_caller() -> None:
    assert names(finding("cart", "metric.saturation", 0.75), finding("db", "metric.latency", 0.5))[0] == "cart"


def test_a_second_kind_of_evidence_decides_between_equals() -> None:
    assert (
        names(
            finding("ads", "log.error.new", 0.6),
            finding("db", "log.error.new", 0.6),
            finding("db", "metric.errors", 0.5),
        )[0]
        == "db"
    )


def test_whose_trouble_began_first_gains() -> None:
    ranked = rank(
        [finding("ads", "log.error.new", 0.6, "2026-01-01T10:05:00Z"), finding("db", "log.error.new", 0.6, "2026-01-01T10:00:00Z")],
        Graph([]),
    )  # fmt: skip
    assert ranked[0].entity == "db"
    assert "its trouble began first" in ranked[0].reasons


def test_seconds_do_not_tell_who_was_first() -> None:
    early, late = finding("db", "x", 0.6, "2026-01-01T10:00:00Z"), finding("ads", "x", 0.6, "2026-01-01T10:00:20Z")
    assert [c.score for c in rank([early, late], Graph([]))] == [0.6, 0.6]


def test_calls_and_what_merely_informs_are_no_candidates() -> None:
    info = Finding("k8s.pod", "fine", "info", "web", None, "quote of it", score=0.9)
    assert names(finding("web->cart", "metric.latency", 0.9), info) == []
