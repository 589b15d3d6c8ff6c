"""Breaks of a habit: a step that used to follow another in the same service and no longer does, or the reverse.

Counted are visits that hold an anchor, another step of the same service that is no failure: load may rise and fall,
but what follows an anchor does not change with it. The two shares, before and since, are compared by a G test.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from fastagent_tools.habits.visits import Visits

BELONGS_SHARE = 0.5  # of the visits with a step, an anchor that belongs to it is in as many
LEAST_VISITS = 2  # since the trouble, with the anchor
# A fault shows in failures that come and in progress that stops. The reverse is what recovery looks like, and good
# times have failures of their own: it is worth a third.
RECOVERY_SHARE = 0.3
# What chance alone reaches in one of some hundred steps; a G of 10.8 has one chance in a thousand for a single one.
LEAST_G = 6.0


@dataclass(frozen=True, slots=True)
class Break:
    """A step of a service beside its anchor: in how many of the anchor's visits it was before, and is since."""

    service: str
    step: str
    anchor: str
    before: int
    of_before: int
    since: int
    of_since: int
    g: float  # of the test, shared among the services that have the step
    failure: bool

    @property
    def stopped(self) -> bool:
        """Whether the step comes less often than before."""
        return self.before * self.of_since > self.since * self.of_before


def breaks(visits: Visits) -> list[Break]:
    """The most telling break of each service, worst first."""
    users = Counter(step for service in _services(visits) for step in _steps(visits, service))
    found = []
    for service in _services(visits):
        broken = (b for b in _of_service(visits, service, users) if b.g >= LEAST_G)
        if worst := max(broken, key=lambda b: (b.g, b.step), default=None):
            found.append(worst)
    return sorted(found, key=lambda b: (-b.g, b.service))


def _services(visits: Visits) -> list[str]:
    return sorted(set(visits.before) & set(visits.since))


def _steps(visits: Visits, service: str) -> set[str]:
    both = [*visits.before[service].values(), *visits.since[service].values()]
    return set().union(*both)


def _of_service(visits: Visits, service: str, users: Mapping[str, int]) -> Iterable[Break]:
    before, since = visits.before[service].values(), visits.since[service].values()
    alone = _counted(before), _counted(since)
    together = _pairs(before), _pairs(since)
    failures = {step for owner, step in visits.failures if owner == service}
    anchors = [a for a in alone[0] if a not in failures and alone[1][a] >= LEAST_VISITS]
    for step in sorted(alone[0] | alone[1]):
        of_step = [
            Break(
                service, step, anchor,
                together[0][anchor, step], alone[0][anchor], together[1][anchor, step], alone[1][anchor],
                _g(together[0][anchor, step], alone[0][anchor], together[1][anchor, step], alone[1][anchor]),
                step in failures,
            )
            for anchor in anchors
            if anchor != step and _belongs(anchor, step, alone, together)
        ]  # fmt: skip
        if of_step:
            yield from (_weighed(b, users[step]) for b in _telling(of_step))


Counts = tuple[Counter[str], Counter[str]]
Pairs = tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]


def _belongs(anchor: str, step: str, alone: Counts, together: Pairs) -> bool:
    """Whether the anchor is usually there when the step is; of a new step, whether the step usually follows it."""
    if alone[0][step]:
        return together[0][anchor, step] >= BELONGS_SHARE * alone[0][step]
    return together[1][anchor, step] >= BELONGS_SHARE * alone[1][step]


def _telling(of_step: Collection[Break]) -> Iterable[Break]:
    """A step that stopped counts by the anchor that shows it best; one that came only if it came beside each."""
    stopped = [b for b in of_step if b.stopped]
    if stopped:
        yield max(stopped, key=lambda b: (b.g, b.anchor))
    else:
        yield min(of_step, key=lambda b: (b.g, b.anchor))


def _weighed(found: Break, users: int) -> Break:
    telling = found.stopped != found.failure
    share = (1.0 if telling else RECOVERY_SHARE) / users
    return Break(
        found.service, found.step, found.anchor, found.before, found.of_before, found.since, found.of_since,
        found.g * share, found.failure,
    )  # fmt: skip


def _counted(visits: Iterable[set[str]]) -> Counter[str]:
    return Counter(step for steps in visits for step in steps)


def _pairs(visits: Iterable[set[str]]) -> Counter[tuple[str, str]]:
    return Counter((a, b) for steps in visits for b in steps for a in steps if a != b)


def _g(hits: int, trials: int, hits_2: int, trials_2: int) -> float:
    """The G statistic of two shares: how surprising it is that they differ."""
    total, both = trials + trials_2, hits + hits_2
    parts = (hits, trials - hits, hits_2, trials_2 - hits_2)
    margins = (trials, trials_2, both, total - both)
    return max(0.0, 2 * (sum(map(_x_log_x, parts)) + _x_log_x(total) - sum(map(_x_log_x, margins))))


def _x_log_x(x: int) -> float:
    return x * math.log(x) if x > 0 else 0.0
