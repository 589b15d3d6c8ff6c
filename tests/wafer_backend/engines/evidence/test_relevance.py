"""What was asked about, and what is beside the point."""

import pytest

from wafer_backend.engines.evidence.case import Case
from wafer_backend.engines.evidence.relevance import asked_about, is_state, looked_into


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Why is pod cart-7d9f in a loop?", {"cart-7d9f"}),
        ("Help with the workload default/Deployment/crashpod", {"crashpod"}),
        ("job importer failed", {"importer"}),
        ("checkout-api returns errors", {"checkout-api"}),
        ("Follow-up on a slow-query alert", {"follow-up"}),
        ("orders are late", set()),
    ],
)
def test_objects_are_read_out_of_the_question(title: str, names: set[str]) -> None:
    assert asked_about({"title": title}) == names


def test_whoever_is_described_or_whose_log_was_read_was_looked_into() -> None:
    commands = ["kubectl describe pod cart-1 -n shop", "kubectl logs -n shop api-2 --tail=9", "kubectl get pods -A"]
    assert looked_into(commands) == {"cart-1", "api-2"}


def test_only_the_state_of_objects_can_be_beside_the_point_and_not_that_of_the_ground() -> None:
    assert is_state("k8s.pod.crash_loop")
    assert not is_state("k8s.node.not_ready")
    assert not is_state("log.error.new")


def findings(title: str) -> dict[str, float]:
    told = [
        {
            "id": f"o1.f{n}",
            "kind": kind,
            "entity": entity,
            "severity": "error",
            "score": 0.8,
            "statement": statement,
            "quote": f"{entity} line",
        }
        for n, (kind, entity, statement) in enumerate(
            [
                ("k8s.pod.crash_loop", "payment-api", "payment-api cannot reach ledger-db"),
                ("k8s.pod.crash_loop", "old-demo", "old-demo has crashed for weeks"),
                ("k8s.node.not_ready", "node-3", "node-3 is not ready"),
                ("k8s.pod.oom_killed", "ledger-db", "ledger-db was killed"),
                ("log.error.new", "web", "web logs errors"),
            ]
        )
    ]
    return {f.entity: f.weight for f in Case({"title": title}, [], [{"findings": told, "examined": 9}]).findings}


def test_strangers_count_less_and_what_the_evidence_speaks_of_does_not() -> None:
    weights = findings("pod payment-api fails")
    assert weights.pop("old-demo") < 1
    assert set(weights.values()) == {1.0}


def test_where_nothing_was_asked_about_all_count() -> None:
    assert set(findings("orders are late").values()) == {1.0}
