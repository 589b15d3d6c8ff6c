"""From what a sender posted to alerts. Nothing that is posted raises."""

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Protocol

import orjson

from fastagent.alerts.alert import MAX_ALERTS, Alert
from fastagent.alerts.envelope import opened

KNOWN_FROM = 1  # a format of this specificity is somebody's own


class Format(Protocol):
    """A module of this package that reads one payload format."""

    SPECIFICITY: int  # 2: a vendor's marks, 1: a shape that several use, 0: anything

    def detect(self, payload: Any) -> bool:
        """Whether this is a payload of the format."""
        ...

    def normalise(self, payload: Any) -> list[Alert]:
        """Its alerts."""
        ...


@cache
def formats() -> tuple[Format, ...]:
    """All formats, the most specific first."""
    names = (found.name for found in iter_modules([str(Path(__file__).parent)]))
    modules: list[Any] = [import_module(f"fastagent.alerts.{name}") for name in names]
    found = [module for module in modules if hasattr(module, "SPECIFICITY")]
    return tuple(sorted(found, key=lambda m: (-m.SPECIFICITY, m.__name__)))


def parse(raw: bytes | str | Any) -> list[Alert]:
    """The alerts of a payload: a body as it came, or JSON that was read already. At least one, at most 1,000."""
    alerts: list[Alert] = []
    for payload in opened(_value(raw), _is_known):
        chosen = next(f for f in formats() if f.detect(payload))
        alerts += chosen.normalise(payload)
        if len(alerts) >= MAX_ALERTS:
            break
    return alerts[:MAX_ALERTS]


def _is_known(payload: Any) -> bool:
    return any(f.SPECIFICITY >= KNOWN_FROM and f.detect(payload) for f in formats())


def _value(raw: Any) -> Any:
    """JSON where it is JSON, else the text. A byte order mark is passed over."""
    if isinstance(raw, bytes | bytearray):
        raw = bytes(raw).decode("utf-8-sig", "replace")
    if not isinstance(raw, str):
        return raw
    try:
        return orjson.loads(raw)
    except ValueError:
        return raw
