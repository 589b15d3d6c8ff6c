"""From reports and verdicts to numbers, each with how far chance alone could move it."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastagent.evaluation.judging import Verdict

Z_95 = 1.959964  # of the normal distribution: two-sided, 95 %
PARTS = ("component", "category", "label", "change")
SURE_FROM = 0.8  # confidence


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share, 0 … 1; 0 of none."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval: where the true share lies with 95 %, also for few cases and for shares of 0 and 1."""
        if not self.of:
            return 0.0, 1.0
        z2 = Z_95**2 / self.of
        middle = (self.value + z2 / 2) / (1 + z2)
        half = Z_95 * math.sqrt(self.value * (1 - self.value) / self.of + z2 / (4 * self.of)) / (1 + z2)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits} of {self.of}, {self.value:.2f} ({low:.2f} … {high:.2f})"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run over many cases amounts to. Times in seconds, measured in the process that investigated."""

    parts: Mapping[str, Share]  # component, category, label, change: right of those asked for
    verdicts: Mapping[str, Share]  # CONFIRMED, LIKELY, INCONCLUSIVE: right of those that were given and can be judged
    surely_wrong: Share  # answers of high confidence that are wrong, of all that can be judged
    answered: Share
    quotes: Share  # verified, of all
    statuses: Mapping[str, int]
    wall_p50_s: float
    wall_p95_s: float
    tokens_in: int
    tokens_out: int


Answer = tuple[Mapping[str, Any], Verdict]


def summary(answers: Sequence[Answer]) -> Summary:
    """The summary of reports with their verdicts."""
    walls = sorted(_number(r.get("timing"), "wall_s") for r, _ in answers)
    evidence = [e for r, _ in answers for e in r.get("evidence") or () if isinstance(e, Mapping)]
    judged = [(r, v) for r, v in answers if v.right is not None]
    return Summary(
        {part: share for part in PARTS if (share := _share(getattr(v, part) for _, v in answers)).of},
        {name: share for name in ("CONFIRMED", "LIKELY", "INCONCLUSIVE") if (share := _of_verdict(name, judged)).of},
        Share(sum(_confidence(r) >= SURE_FROM and not v.right for r, v in judged), len(judged)),
        Share(sum(is_answered(r) for r, _ in answers), len(answers)),
        Share(sum(bool(e.get("verified")) for e in evidence), len(evidence)),
        dict(Counter(str(r.get("status", "failed")) for r, _ in answers)),
        percentile(walls, 0.5),
        percentile(walls, 0.95),
        int(sum(_number(r.get("usage"), "input_tokens") for r, _ in answers)),
        int(sum(_number(r.get("usage"), "output_tokens") for r, _ in answers)),
    )


def is_answered(report: Mapping[str, Any]) -> bool:
    """Whether a report answers: not failed, and with a cause, a change, or (complete) that nothing is wrong."""
    given = bool(report.get("root_cause") or report.get("change"))
    return report.get("status") in ("complete", "partial") and (given or report.get("status") == "complete")


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share of an ordered sequence lies; 0 of an empty one."""
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1 if share < 1 else -1)] if ordered else 0.0


def sign_test(better: int, worse: int) -> float:
    """How likely chance alone splits the cases that changed so unevenly: the exact two-sided sign test."""
    changed, fewer = better + worse, min(better, worse)
    tail: float = sum(math.comb(changed, k) for k in range(fewer + 1)) / 2**changed
    return min(1.0, 2 * tail)


def _share(values: Iterable[bool | None]) -> Share:
    asked = [v for v in values if v is not None]
    return Share(sum(asked), len(asked))


def _of_verdict(name: str, judged: Sequence[Answer]) -> Share:
    return _share(v.right for r, v in judged if (r.get("root_cause") or {}).get("verdict") == name)


def _confidence(report: Mapping[str, Any]) -> float:
    return _number(report.get("root_cause"), "confidence")


def _number(value: Any, name: str) -> float:
    found = value.get(name) if isinstance(value, Mapping) else None
    return float(found) if isinstance(found, int | float) else 0.0
