"""When commits took effect, and for whom."""

from fastagent.state import Source
from fastagent_tools.changes.change import Change, Kind
from fastagent_tools.changes.releases import in_effect


def change(kind: Kind, ident: str, at: float, service: str = "", *files: str, commit: str = "") -> Change:
    return Change(kind, ident, at, service, "", files, "", ident, Source(), commit=commit)


COMMITS = [
    change("commit", "c1", 10, "", "web/a.py"),
    change("commit", "c2", 20, "", "cart/b.py"),
    change("commit", "c3", 30, "", "web/c.py"),
    change("commit", "c4", 40, "", "web/d.py"),
]
DEPLOYS = [
    change("deploy", "d1", 15, "web", commit="c1"),
    change("deploy", "d2", 50, "web", commit="c4"),
    change("deploy", "d3", 60, "cart", commit="c4"),
]


def test_a_deploy_brings_its_commit_and_those_of_its_service_since_the_last_one() -> None:
    found = {c.id: (c.at_s, c.service, c.deployed) for c in in_effect([*COMMITS, *DEPLOYS])}
    assert found["c1"] == (15, "web", True)
    assert found["c3"] == (50, "web", True)
    assert found["c4"] == (50, "web", True)
    assert found["c2"] == (60, "cart", True)  # no deploy before it is recorded


def test_shared_code_takes_effect_with_the_next_deploy_and_is_nobodys() -> None:
    shared = change("commit", "s1", 12, "", "pkg/schema/a.py")
    found = {c.id: (c.at_s, c.service, c.deployed) for c in in_effect([shared, *COMMITS, *DEPLOYS])}
    assert found["s1"] == (50, "", True)
    elsewhere = change("commit", "s2", 12, "", "docs/a.md")
    assert not {c.id: c.deployed for c in in_effect([elsewhere, *COMMITS, *DEPLOYS])}["s2"]


def test_two_commits_of_one_deploy_time_are_both_dated() -> None:
    deploys = [change("deploy", "d1", 50, "web", commit="c4"), change("deploy", "d2", 50, "web", commit="c3")]
    found = {c.id: c.deployed for c in in_effect([*COMMITS, *deploys])}
    assert (found["c3"], found["c4"]) == (True, True)


def test_deploys_of_unknown_commits_and_flags_stay_as_they_are() -> None:
    others = [change("deploy", "d9", 70, "web", commit="unknown"), change("flag", "f1", 80, "web")]
    assert [c.id for c in in_effect(others)] == ["d9", "f1"]


def test_changes_without_times_are_no_problem() -> None:
    assert (
        len(in_effect([change("commit", "c", 1, "web"), Change("commit", "x", None, "", "", (), "", "x", Source())]))
        == 2
    )
