"""Whom a command asks about: the pod of `kubectl logs`, the unit of `systemctl status`."""

import re
import shlex

_VERBS = {"logs", "describe", "status", "inspect", "get", "top", "show", "is-active", "exec", "rollout"}
_WITH_VALUE = {"-n", "--namespace", "-c", "--container", "-l", "--selector", "-o", "--tail", "--since", "-h", "-p"}
_UNIT = re.compile(r"(?:-u|--unit)[ =]?(\S+)")
_KINDS = re.compile(
    r"^(po|pods?|deploy(ments?)?|svc|services?|nodes?|no|events?|ev|all|ep|endpoints|pvc?|ing(ress)?|jobs?|sts|rs|ns"
    r"|statefulsets?|daemonsets?|configmaps?|cm|secrets?)$"
)


def subject(command: str) -> str:
    """The name of the object asked about, or "" where none is named."""
    if unit := _UNIT.search(command):
        return unit[1].removesuffix(".service")
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    named = _arguments(words)
    return named[0].rpartition("/")[2].removesuffix(".service") if named else ""


def _arguments(words: list[str]) -> list[str]:
    """What follows the verb, without options and without the kind of object."""
    start = next((i + 1 for i, word in enumerate(words) if word in _VERBS), None)
    if start is None:
        return []
    kept, skip = [], False
    for word in words[start:]:
        if word in ("|", ">", "&&", ";", "--"):
            break
        if skip or word.startswith("-"):
            skip = word in _WITH_VALUE
            continue
        if not _KINDS.match(word.lower()):
            kept.append(word)
    return kept
