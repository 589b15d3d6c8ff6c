"""What a good time logged: how often each kind of message is to be expected, and what came and went since."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastagent_tools.logs.groups import Group
from fastagent_tools.text.quote import shorten

Key = tuple[str, str]  # template, service; "" = whoever wrote it
CHANGED_AT = 3.0  # times as often, or as seldom
LEAST_GONE = 5  # times it would have come by now
MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class Baseline:
    """Counts per kind of message and service, and of all events.

    A service that the good time does not know may merely be called differently there, as when it is named after the
    file: its messages are compared with everybody's.
    """

    counts: Mapping[Key, int] = field(default_factory=dict)
    services: frozenset[str] = frozenset()
    events: int = 0

    @classmethod
    def of(cls, groups: Iterable[Group]) -> "Baseline":
        """The baseline that these groups make."""
        counts: Counter[Key] = Counter()
        services = set()
        for group in groups:
            services.add(group.service)
            counts[group.template, group.service] += group.count
            counts[group.template, ""] += group.count
        return cls(counts, frozenset(services), sum(n for (_, service), n in counts.items() if not service))

    def expected(self, group: Group, events: int) -> float:
        """How often the group would come among so many events, were all as it was."""
        return self.counts.get(self._key(group), 0) * events / max(self.events, 1)

    def report(self, groups: Sequence[Group], events: int) -> dict[str, Any]:
        """New, gone and changed kinds of messages, the most frequent first."""
        now: Counter[Key] = Counter()
        for group in groups:
            now[self._key(group)] += group.count
        scale = events / max(self.events, 1)
        usual = {key: n * scale for key, n in self.counts.items() if bool(key[1]) == self._shares_a_service(now)}
        new = [(key, count, 0.0) for key, count in now.items() if key not in self.counts]
        gone = [(key, 0, n) for key, n in usual.items() if key not in now and n >= LEAST_GONE]
        changed = [(k, n, usual[k]) for k, n in now.items() if k in usual and _has_changed(n, usual[k])]
        return {
            "events": self.events,
            "new": _told(sorted(new, key=lambda e: -e[1])),
            "gone": _told(sorted(gone, key=lambda e: -e[2])),
            "changed": _told(sorted(changed, key=lambda e: -abs(e[1] - e[2]))),
        }

    def _key(self, group: Group) -> Key:
        return group.template, group.service if group.service in self.services else ""

    @staticmethod
    def _shares_a_service(now: Mapping[Key, int]) -> bool:
        return any(service for _, service in now)


def _has_changed(count: int, usual: float) -> bool:
    return max(count, usual) >= LEAST_GONE and not usual / CHANGED_AT <= count <= usual * CHANGED_AT


def _told(entries: Iterable[tuple[Key, int, float]]) -> list[dict[str, Any]]:
    return [
        {"template": shorten(template, 200), "service": service, "count": count, "expected": round(usual, 1)}
        for (template, service), count, usual in list(entries)[:MOST_TOLD]
    ]
