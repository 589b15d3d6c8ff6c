"""The tool `change_suspects`: which commit, deploy or flag the trouble points at, or that none does."""

from collections.abc import Sequence

from fastagent.state import Finding, Observation
from fastagent.toolbox import Scope, tool
from fastagent_tools.changes.change import changes_of
from fastagent_tools.changes.suspects import Suspect, finding, is_blamed, suspects
from fastagent_tools.changes.trouble import infrastructure, trouble_of

MOST = 5


@tool(expect_s=0.3, opening={})
def change_suspects(scope: Scope) -> Observation:
    """Commits, deploys and flags by how far the trouble points at them: by time, place and what they touch."""
    changes, gaps = changes_of(scope)
    if not changes:
        return Observation("No changes are recorded.", gaps=gaps)
    ranked = suspects(scope)
    trouble = trouble_of(scope)
    findings = [finding(s) for s in ranked[:MOST]]
    if not ranked or not is_blamed(ranked[0], trouble):
        findings.insert(0, _none(ranked, len(changes), infrastructure(trouble)))
    said = findings[0].statement if findings else "none of them explains it"
    return Observation(f"{len(changes)} changes: {said}.", tuple(findings), examined=len(changes), gaps=gaps)


def _none(ranked: Sequence[Suspect], count: int, ground: str) -> Finding:
    """That no change explains the trouble is a finding as well."""
    best = f"; the nearest, {ranked[0].change.id[:12]}, scores {ranked[0].score:.2f}" if ranked else ""
    return Finding(
        kind="change.none",
        statement=f"None of {count} recorded changes explains it{best}",
        score=0.5,
        reason=f"what fails speaks of {ground}" if ground else "none is near in time and about what fails",
    )
