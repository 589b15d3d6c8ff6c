"""When commits took effect: a deploy brings its own commit, and all since the last deploy of the same service."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from fastagent_tools.changes.change import Change


def in_effect(changes: Sequence[Change]) -> list[Change]:
    """The changes, commits dated by the deploy that brought them; deploys that brought known commits are left out."""
    commits = sorted((c for c in changes if c.kind == "commit"), key=_at)
    deploys = sorted((c for c in changes if c.kind == "deploy"), key=_at)
    brought = _brought(commits, deploys)
    services = {d.service for d in deploys if d.service}
    told = [_dated(c, brought[c.id], services) if c.id in brought else c for c in commits]
    known = {c.id for c in commits}
    return [*told, *(c for c in changes if c.kind != "commit" and c.commit not in known)]


def _brought(commits: Sequence[Change], deploys: Iterable[Change]) -> dict[str, Change]:
    """Commit -> the first deploy that ran it. Of a service's first deploy nobody knows what it brought besides."""
    place = {c.id: i for i, c in enumerate(commits)}
    last: dict[str, int] = {}
    found: dict[str, Change] = {}
    for deploy in deploys:
        at = place.get(deploy.commit)
        if at is None:
            continue
        since = last.get(deploy.service, at - 1)
        found.setdefault(deploy.commit, deploy)
        for commit in commits[since + 1 : at]:
            if _touches(commit, deploy.service):
                found.setdefault(commit.id, deploy)
        last[deploy.service] = max(at, since)
    return found


def _dated(commit: Change, deploy: Change, services: Iterable[str]) -> Change:
    """With the deploy's time, and the service whose files it touches: one repository may hold several."""
    own = [s for s in services if _touches(commit, s)]
    service = commit.service or (own[0] if len(own) == 1 else deploy.service)
    return replace(commit, at_s=deploy.at_s, service=service, deployed=True)


def _touches(commit: Change, service: str) -> bool:
    parts = {part.lower() for file in commit.files for part in file.split("/")}
    return bool(service) and service.lower() in parts


def _at(change: Change) -> Any:
    return change.at_s if change.at_s is not None else float("-inf")
