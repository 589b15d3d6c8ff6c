"""Two runs over the same cases: whose answer changed, and whether the difference is more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastagent.evaluation.measures import Share, sign_test


@dataclass(frozen=True, slots=True)
class Pair:
    """One case in both runs; `None` where it has no expected answer."""

    case: str
    before: Mapping[str, Any]
    now: Mapping[str, Any]
    was_right: bool | None = None
    is_right: bool | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two runs."""

    same: Share  # verdicts that are the same
    weaker: Share  # answers that are less sure, or gone, of those that there were
    better: tuple[str, ...]  # cases
    worse: tuple[str, ...]
    p_value: float  # that chance alone made so many better and worse
    changed: tuple[Pair, ...]


def compare(pairs: Sequence[Pair]) -> Comparison:
    """The comparison of pairs of reports."""
    given = [p for p in pairs if p.before.get("root_cause")]
    better = tuple(p.case for p in pairs if p.is_right and p.was_right is False)
    worse = tuple(p.case for p in pairs if p.was_right and p.is_right is False)
    return Comparison(
        Share(sum(verdict(p.before) == verdict(p.now) for p in pairs), len(pairs)),
        Share(sum(_is_weaker(p) for p in given), len(given)),
        better,
        worse,
        sign_test(len(better), len(worse)),
        tuple(p for p in pairs if verdict(p.before) != verdict(p.now)),
    )


def verdict(report: Mapping[str, Any]) -> tuple[str, ...]:
    """What a report says was the matter: component, category, label, change."""
    cause, change = report.get("root_cause") or {}, report.get("change") or {}
    said = (cause.get("component"), cause.get("category"), cause.get("label"), change.get("commit"))
    return tuple(str(part or "").lower() for part in said)


def _is_weaker(pair: Pair) -> bool:
    before, now = (float((r.get("root_cause") or {}).get("confidence") or 0.0) for r in (pair.before, pair.now))
    return now < before or verdict(pair.before) != verdict(pair.now)
