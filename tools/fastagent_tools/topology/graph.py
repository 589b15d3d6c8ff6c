"""The call graph: as it was given, and as traces and metrics of calls show it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fastagent.toolbox import Scope
from fastagent_tools.metrics.load import calls_of, metrics_of
from fastagent_tools.metrics.series import EDGE
from fastagent_tools.traces.load import traces_of


@dataclass(frozen=True)
class Graph:
    """Pairs of caller and callee."""

    calls: Sequence[tuple[str, str]]

    @cached_property
    def callees(self) -> Mapping[str, tuple[str, ...]]:
        """Caller -> whom it calls."""
        found: dict[str, dict[str, None]] = {}
        for caller, callee in self.calls:
            if caller != callee:
                found.setdefault(caller, {})[callee] = None
        return {caller: tuple(names) for caller, names in found.items()}

    @cached_property
    def callers(self) -> Mapping[str, tuple[str, ...]]:
        """Callee -> who calls it."""
        return Graph([(callee, caller) for caller, callee in self.calls]).callees

    def below(self, name: str) -> set[str]:
        """Everything that `name` calls, directly or not."""
        seen: set[str] = set()
        todo = [name]
        while todo:
            for callee in self.callees.get(todo.pop(), ()):
                if callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
        return seen


def graph_of(scope: Scope) -> Graph:
    """The graph of the incident's evidence; none where it is withheld to see what it is worth."""
    if "topology" in scope.withheld:
        return Graph(())
    return Graph(tuple(dict.fromkeys([*calls_of(scope), *_of_metrics(scope), *_of_traces(scope)])))


def _of_metrics(scope: Scope) -> Iterable[tuple[str, str]]:
    for series in metrics_of(scope).series:
        caller, arrow, callee = series.entity.partition(EDGE)
        if arrow:
            yield caller, callee


def _of_traces(scope: Scope) -> Iterable[tuple[str, str]]:
    traces, _ = traces_of(scope)
    for span in traces.spans:
        caller = traces.parent_of(span)
        if caller is not None and caller.entity and span.entity:
            yield caller.entity, span.entity
