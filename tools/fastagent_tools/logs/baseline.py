"""What a good time logged: how often each kind of message is to be expected, and what came and went since."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastagent_tools.logs.groups import Group
from fastagent_tools.logs.quote import shorten

Key = tuple[str, str]  # template, service
CHANGED_AT = 3.0  # times as often, or as seldom
LEAST_GONE = 5  # times it would have come by now
MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class Baseline:
    """Counts per kind of message and service, and of all events."""

    counts: dict[Key, int] = field(default_factory=dict)
    events: int = 0

    @classmethod
    def of(cls, groups: Iterable[Group]) -> "Baseline":
        """The baseline that these groups make."""
        counts: dict[Key, int] = {}
        for group in groups:
            counts[_key(group)] = counts.get(_key(group), 0) + group.count
        return cls(counts, sum(counts.values()))

    def expected(self, group: Group, events: int) -> float:
        """How often the group would come among so many events, were all as it was."""
        return self.counts.get(_key(group), 0) * events / max(self.events, 1)

    def report(self, groups: Sequence[Group], events: int) -> dict[str, Any]:
        """New, gone and changed kinds of messages, the most frequent first."""
        now: dict[Key, int] = {}
        for group in groups:
            now[_key(group)] = now.get(_key(group), 0) + group.count
        scale = events / max(self.events, 1)
        new = [(key, count, 0.0) for key, count in now.items() if key not in self.counts]
        gone = [(k, 0, n * scale) for k, n in self.counts.items() if k not in now and n * scale >= LEAST_GONE]
        both = [(key, count, self.counts[key] * scale) for key, count in now.items() if key in self.counts]
        changed = [entry for entry in both if _has_changed(entry[1], entry[2])]
        return {
            "events": self.events,
            "new": _told(sorted(new, key=lambda e: -e[1])),
            "gone": _told(sorted(gone, key=lambda e: -e[2])),
            "changed": _told(sorted(changed, key=lambda e: -abs(e[1] - e[2]))),
        }


def _key(group: Group) -> Key:
    return group.template, group.service


def _has_changed(count: int, usual: float) -> bool:
    return max(count, usual) >= LEAST_GONE and not usual / CHANGED_AT <= count <= usual * CHANGED_AT


def _told(entries: Iterable[tuple[Key, int, float]]) -> list[dict[str, Any]]:
    return [
        {"template": shorten(template, 200), "service": service, "count": count, "expected": round(usual, 1)}
        for (template, service), count, usual in list(entries)[:MOST_TOLD]
    ]
