"""Whether a report is right: each part of its answer, of what the case has an answer for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LEAST_SHA_CHARS = 7
HEALTHY = ("healthy", "none", "normal", "no_fault")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report got right, of what the case has an answer for. `None`: the case asks for no such thing."""

    component: bool | None = None
    category: bool | None = None
    label: bool | None = None
    change: bool | None = None

    @property
    def right(self) -> bool | None:
        """Whether all that was asked for is right; the label, of which there are many schools, aside."""
        asked = [part for part in (self.component, self.category, self.change) if part is not None]
        return all(asked) if asked else None

    def __str__(self) -> str:
        marks = {name: getattr(self, name) for name in ("component", "category", "label", "change")}
        return " ".join(f"{'+' if right else '-'}{name}" for name, right in marks.items() if right is not None)


def judge(report: Mapping[str, Any], expected: Mapping[str, Any]) -> Verdict:
    """Exact comparison, case ignored; a component may be any of the accepted names."""
    cause = report.get("root_cause") or {}
    category = cause.get("category") if cause or report.get("status") != "complete" else _healthy(expected)
    change = (report.get("change") or {}).get("commit")
    return Verdict(
        _same(cause.get("component"), expected.get("component")),
        _same(category, expected.get("category")),
        _same(cause.get("label"), expected.get("label")),
        _same_commit(change, expected.get("commit")),
    )


def _healthy(expected: Mapping[str, Any]) -> str:
    """What a complete report without a cause says: that nothing is wrong, in the case's own word for it."""
    wanted = str(expected.get("category") or "").lower()
    return wanted if wanted in HEALTHY else HEALTHY[0]


def _same(said: Any, wanted: Any) -> bool | None:
    accepted = wanted if isinstance(wanted, list) else [wanted] if wanted else []
    if not accepted:
        return None
    return str(said or "").strip().lower() in {str(name).lower() for name in accepted}


def _same_commit(said: Any, wanted: Any) -> bool | None:
    """A prefix of at least seven digits names a commit."""
    if not wanted:
        return None
    said, wanted = str(said or "").lower(), str(wanted).lower()
    return said == wanted or (len(said) >= LEAST_SHA_CHARS and wanted.startswith(said))
