"""When commits took effect: a deploy brings its own commit, and all since the last deploy of the same service.

Deploys are recorded as far back as commits are: what was committed before the first one came with it. Code that
services share takes effect with the next deploy of any of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from fastagent_tools.changes.change import Change

_SHARED = {"pkg", "lib", "libs", "shared", "common", "proto", "protos", "schema", "schemas"}


def in_effect(changes: Sequence[Change]) -> list[Change]:
    """The changes, commits dated by the deploy that brought them; deploys that brought known commits are left out."""
    commits = sorted((c for c in changes if c.kind == "commit"), key=_at)
    deploys = sorted((c for c in changes if c.kind == "deploy"), key=_at)
    brought = _brought(commits, deploys)
    services = {d.service for d in deploys if d.service}
    told = [_dated(c, brought[c.id], services) if c.id in brought else c for c in commits]
    known = {c.id for c in commits}
    return [*told, *(c for c in changes if c.kind != "commit" and c.commit not in known)]


def _brought(commits: Sequence[Change], deploys: Sequence[Change]) -> dict[str, Change]:
    """Commit -> the first deploy that ran it."""
    services = {d.service for d in deploys}
    place = {c.id: i for i, c in enumerate(commits)}
    last: dict[str, int] = {}
    found: dict[str, Change] = {}
    for deploy in deploys:
        at = place.get(deploy.commit)
        if at is None:
            continue
        since = last.get(deploy.service, -1)
        found.setdefault(deploy.commit, deploy)
        for commit in commits[since + 1 : at]:
            if _touches(commit, deploy.service) or _is_shared(commit, services):
                found.setdefault(commit.id, deploy)
        last[deploy.service] = max(at, since)
    return found


def _dated(commit: Change, deploy: Change, services: Iterable[str]) -> Change:
    """With the deploy's time, and the service whose files it touches: one repository may hold several."""
    own = [s for s in services if _touches(commit, s)]
    shared = commit.id != deploy.commit and _is_shared(commit, services)
    service = commit.service or (own[0] if len(own) == 1 else "" if shared else deploy.service)
    return replace(commit, at_s=deploy.at_s, service=service, deployed=True)


def _is_shared(commit: Change, services: Iterable[str]) -> bool:
    """Whether it touches code for several services, and none of a service's own."""
    folders = {file.split("/")[0].lower() for file in commit.files}
    return bool(folders) and folders <= _SHARED and not any(_touches(commit, s) for s in services)


def _touches(commit: Change, service: str) -> bool:
    parts = {part.lower() for file in commit.files for part in file.split("/")}
    return bool(service) and service.lower() in parts


def _at(change: Change) -> Any:
    return change.at_s if change.at_s is not None else float("-inf")
