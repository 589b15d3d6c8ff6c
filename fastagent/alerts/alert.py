"""What every payload format is brought to: one alert, with a note for each field that could not be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from fastagent.state import Severity

MAX_ALERTS = 1_000  # of one payload
Status = Literal["firing", "resolved"]


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert. `fingerprint` is the sender's own where it gave one, else made from what names the alert."""

    title: str  # one line
    source: str  # the payload format: alertmanager, grafana, …, generic, plain
    severity: Severity = "error"
    status: Status = "firing"
    started_at: str | None = None  # ISO 8601, UTC
    services: tuple[str, ...] = ()  # whom it is about, most telling first
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    url: str | None = None
    fingerprint: str = ""
    notes: tuple[str, ...] = ()  # fields that were there and could not be read

    @property
    def key(self) -> str:
        """The same for each delivery of the same firing; a new start is a new firing."""
        return f"{self.source}:{self.fingerprint}@{self.started_at or ''}"

    def told(self, name: str) -> str:
        """A label, or else an annotation, of that name; "" where there is none."""
        return self.labels.get(name) or self.annotations.get(name, "")


def fingerprint(*parts: object) -> str:
    """16 hex digits that are the same for the same parts."""
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]
