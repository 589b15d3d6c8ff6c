"""Pods, and the containers of pods and templates, as `kubectl describe` prints them."""

import re
from collections.abc import Iterator, Mapping

from fastagent_tools.kubernetes.model import Condition, Container, Ending, Pod, Probe
from fastagent_tools.kubernetes.naming import workload_of
from fastagent_tools.kubernetes.sections import Section, table
from fastagent_tools.text.fields import whole

_PORT = re.compile(r"https?://[^:/\s]*:([\w-]+)|tcp-socket :([\w-]+)|:(\d+)")
_WAITS = re.compile(r"\s+delay=.*$")


def pod(described: Mapping[str, Section]) -> Pod:
    """A pod with its containers."""
    name = described["Name"].value
    labels = dict(e.split("=", 1) for e in _entries(described, "Labels") if "=" in e)
    kind, _, owner = _value(described, "Controlled By").partition("/")
    selector = dict(e.split("=", 1) for e in _entries(described, "Node-Selectors") if "=" in e)
    rows = table(described["Conditions"].body, 2) if "Conditions" in described else []
    return Pod(
        name=name,
        namespace=_value(described, "Namespace"),
        phase=_value(described, "Status"),
        reason=_value(described, "Reason"),
        message=_value(described, "Message"),
        owner=workload_of(name, labels, kind, owner),
        node=_value(described, "Node").partition("/")[0].replace("<none>", ""),
        labels=labels,
        selector=selector,
        containers=tuple(containers(described)),
        conditions=_conditions(rows),
    )


def _conditions(rows: list[list[str]]) -> tuple[Condition, ...]:
    return tuple(Condition(row[0], row[1]) for row in rows if len(row) == 2)


def containers(described: Mapping[str, Section]) -> Iterator[Container]:
    """The containers below "Init Containers" and "Containers"."""
    for title, init in (("Init Containers", True), ("Containers", False)):
        section = described.get(title)
        for name, one in (section.below() if section else {}).items():
            yield _container(name, one.below(), init=init)


def _container(name: str, said: Mapping[str, Section], *, init: bool) -> Container:
    state = said.get("State", Section())
    last = said.get("Last State", Section())
    ended = _ending(state) if state.value == "Terminated" else _ending(last)
    ready = _value(said, "Ready")
    return Container(
        name=name,
        image=_value(said, "Image"),
        init=init,
        ready={"True": True, "False": False}.get(ready),
        restarts=whole(_value(said, "Restart Count")) or 0,
        state=state.value.lower(),
        reason=state.child("Reason"),
        message=state.child("Message"),
        ended=ended,
        limits={k: v.value for k, v in said["Limits"].below().items()} if "Limits" in said else {},
        ports=tuple(p.partition("/")[0] for p in re.split(r",\s*", _value(said, "Port") or _value(said, "Ports")) if p),
        probes=tuple(_probe(k, _value(said, k.capitalize())) for k in _PROBES if k.capitalize() in said),
        command=" ".join([*_entries(said, "Command"), *_entries(said, "Args")]),
    )


_PROBES = ("liveness", "readiness", "startup")


def _ending(state: Section) -> Ending | None:
    if state.value != "Terminated":
        return None
    said = state.below()
    code, at = whole(_value(said, "Exit Code")), _value(said, "Finished")
    return Ending(_value(said, "Reason"), code, at, _value(said, "Message"))


def _probe(kind: str, said: str) -> Probe:
    port = _PORT.search(said)
    return Probe(kind, _WAITS.sub("", said), next((p for p in port.groups() if p), "") if port else "")


def _value(described: Mapping[str, Section], name: str) -> str:
    found = described.get(name)
    return "" if found is None or found.value == "<none>" else found.value


def _entries(described: Mapping[str, Section], name: str) -> list[str]:
    found = described.get(name)
    return found.entries() if found else []
