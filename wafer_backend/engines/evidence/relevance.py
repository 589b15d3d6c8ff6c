"""What an incident is about, where it names objects: the state of others in the same listing is beside the point.

Only findings about the state of objects are judged so, and not those of objects that the evidence about the first
speaks of. A cause may well lie in somebody else's logs, metrics or sessions, but that another pod of the namespace has
been crashing for weeks explains nothing.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

STATES = ("k8s.*", "command.*")  # kinds that tell the state of one object among many …
GROUND = ("k8s.node.*", "k8s.dns*", "k8s.quota*", "k8s.volume.*")  # … but for those of the ground they all stand on
_NAMED = re.compile(
    r"\b(?:pod|pods|job|cronjob|deployment|statefulset|daemonset|service|node|container|workload|unit|app|application)"
    r"[ /:]+[\"'`]?([a-z0-9][\w.-]{2,})(?![\w./-])"
    r"|\b(?:deployment|pod|job|statefulset|daemonset|service|node)/([a-z0-9][\w.-]+)",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b(?! (?:alert|query|queries|requests?|errors?|rate)\b)"
)  # checkout-api, payment_worker
_SINGLE = re.compile(
    r"\bkubectl (?:describe|logs)(?: +-[\w-]+(?:[ =][\w-]+)?)*"
    r"(?: +(?:po|pods?|jobs?|deploy(?:ments?)?|sts|statefulsets?|daemonsets?|ds|svc|services?|nodes?))?"
    r"[ /]+(?!-)([a-z0-9][\w.-]{2,})",
    re.IGNORECASE,
)
BESIDE_THE_POINT = 0.3  # of its score and its weight is left to the state of an object that nobody asked about
ASKED_GAIN = 0.3  # of what is missing to certainty, a finding about what was asked gains this share
_WORDS = {
    "running",
    "with",
    "that",
    "which",
    "from",
    "this",
    "named",
    "called",
    "crash",
    "failed",
    "failing",
    "is",
    "in",
}


def asked_about(incident: Mapping[str, Any]) -> frozenset[str]:
    """Names of objects in the words of whoever asks, lower case."""
    said = " ".join(str(incident.get(part) or "") for part in ("title", "context"))
    named = {m[1] or m[2] for m in _NAMED.finditer(said)} | set(_COMPOUND.findall(said.lower()))
    return frozenset(name.lower().strip(".") for name in named if name.lower() not in _WORDS)


def looked_into(commands: Iterable[str]) -> frozenset[str]:
    """Objects that somebody has described or read the log of: who records a command about one suspects it."""
    return frozenset(m[1].lower() for command in commands for m in _SINGLE.finditer(command))


def is_state(kind: str) -> bool:
    """Whether a finding tells the state of an object."""
    return any(fnmatchcase(kind, p) for p in STATES) and not any(fnmatchcase(kind, p) for p in GROUND)


def is_about(names: Iterable[str], entity: str, source: str) -> bool:
    """Whether a finding is about one of the names: its entity is or belongs to it, or somebody asked for it."""
    entity, source = entity.lower(), source.lower()
    return any(name in entity or name in source or (entity and entity in name) for name in names)
