"""One JSON file of a provider, and what its readers may know of the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from fastagent.bundle import Bundle
from fastagent.state import Finding
from fastagent_tools.kubernetes.model import Cluster
from fastagent_tools.text.citation import Original
from fastagent_tools.text.times import Clock

MAX_AGE_S = 3_600.0  # what lies further before the window explains little


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file with its text, to quote."""

    path: str
    value: Any
    original: Original


@dataclass(frozen=True, slots=True)
class Around:
    """All documents, the Kubernetes objects in them, and when the incident's window begins (seconds, or unknown)."""

    documents: Sequence[Document] = ()
    cluster: Cluster = field(default_factory=Cluster)
    begins_s: float | None = None

    def is_old(self, time: str) -> bool:
        """Whether a moment lies well before the window."""
        at = seconds(time)
        return at is not None and self.begins_s is not None and at < self.begins_s - MAX_AGE_S


Read = Callable[[Document, Around], list[Finding]]


def read_document(bundle: Bundle, path: str) -> Document | None:
    """A file as JSON with its text; nothing where it is none or cannot be read."""
    try:
        raw = bundle.locate(path).read_bytes()
        return Document(path, orjson.loads(raw), Original(raw.decode("utf-8", "replace"), file=path))
    except (OSError, ValueError, RecursionError):
        return None


def seconds(time: str) -> float | None:
    """A time stamp in seconds since the epoch; nothing where it is none."""
    stamp = Clock(1970).read(time) if time else None
    return stamp.at_s if stamp else None
