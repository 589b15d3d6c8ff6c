"""The roles that we hand out read, and cannot do anything else."""

from pathlib import Path

import pytest
import yaml

ROLES = Path(__file__).parents[2] / "examples" / "roles"
READING = {"get", "list", "watch"}
NEVER = ("secrets", "exec", "proxy", "attach", "portforward", "token", "impersonate", "*")


def rules() -> list[dict[str, list[str]]]:
    documents = [d for d in yaml.safe_load_all((ROLES / "kubernetes-readonly.yaml").read_text()) if d]
    return [rule for d in documents if d["kind"] == "ClusterRole" for rule in d["rules"]]


def test_the_cluster_role_has_reading_verbs_only() -> None:
    assert rules()
    assert {verb for rule in rules() for verb in rule["verbs"]} <= READING


@pytest.mark.parametrize("never", NEVER)
def test_the_cluster_role_names_nothing_that_leaks_or_acts(never: str) -> None:
    assert not [r for rule in rules() for r in [*rule["resources"], *rule["apiGroups"]] if never in r.split("/")]


def test_the_role_is_bound_to_its_own_account_and_to_nobody_else() -> None:
    documents = list(yaml.safe_load_all((ROLES / "kubernetes-readonly.yaml").read_text()))
    (binding,) = (d for d in documents if d["kind"] == "ClusterRoleBinding")
    assert [(s["kind"], s["name"]) for s in binding["subjects"]] == [("ServiceAccount", "fastagent-reader")]


@pytest.mark.parametrize(
    "said",
    ["default_transaction_read_only = on", "statement_timeout", "lock_timeout", "CONNECTION LIMIT", "pg_monitor"],
)
def test_the_postgres_role_cannot_write_wait_or_stay(said: str) -> None:
    sql = (ROLES / "postgres-readonly.sql").read_text()
    assert said in sql
    assert "SUPERUSER" not in sql.replace("NOSUPERUSER", "")
