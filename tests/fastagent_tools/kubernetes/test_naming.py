import pytest

from fastagent_tools.kubernetes.naming import among, workload_of


@pytest.mark.parametrize(
    ("pod", "labels", "kind", "owner", "workload"),
    [
        ("cart-6b7c9d8f5d-x2x7k", {}, "", "", "cart"),
        ("cart-6b7c9d8f5d-x2x7k", {}, "ReplicaSet", "cart-6b7c9d8f5d", "cart"),
        ("cart-api-bcdfghjkl-x2x7k", {"pod-template-hash": "bcdfghjkl"}, "", "", "cart-api"),
        ("store-0", {}, "StatefulSet", "store", "store"),
        ("nightly-29000000-abcde", {"job-name": "nightly-29000000"}, "", "", "nightly"),
        ("debug", {}, "", "", "debug"),
        ("my-long-name-here", {}, "", "", "my-long-name-here"),
        ("", {}, "", "", ""),
    ],
)
def test_the_workload_behind_a_pod_is_called_as_people_call_it(
    pod: str, labels: dict[str, str], kind: str, owner: str, workload: str
) -> None:
    assert workload_of(pod, labels, kind, owner) == workload


def test_the_longest_workload_that_a_pod_begins_with_is_its_own() -> None:
    assert among("cart-api-new-1", ["cart", "cart-api", "mail"]) == "cart-api"
    assert among("cart", ["cart"]) == ""
