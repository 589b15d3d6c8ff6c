"""Events as structured log lines. They go to the standard logger "fastagent", which is silent until a program
configures logging: a library prints nothing by itself.
"""

import logging
from dataclasses import fields
from typing import Any

import structlog

from fastagent.event import Event

_LOG: Any = structlog.wrap_logger(
    logging.getLogger("fastagent"),
    processors=[structlog.stdlib.filter_by_level, structlog.stdlib.render_to_log_kwargs],
    wrapper_class=structlog.stdlib.BoundLogger,
)


def log_event(event: Event) -> None:
    """One event, one line: its name, its plain fields; whole objects by their size or status only."""
    if _LOG.isEnabledFor(logging.INFO):
        name = type(event).__name__
        # Under one key: a LogRecord has attributes of its own, such as `name`, that must not be overwritten.
        _LOG.info(name, fields={f.name: _plain(getattr(event, f.name)) for f in fields(event)})


def log_failure(what: str, error: BaseException) -> None:
    """Something of ours or of a user's broke and was worked around: where, for whoever mends it."""
    _LOG.error("Failed", fields={"what": what, "error": repr(error)}, exc_info=error)


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, tuple):
        return len(value)
    return getattr(value, "status", None) or getattr(value, "id", None) or type(value).__name__


class KeyValueFormatter(logging.Formatter):
    """Log lines for people: time, event, key=value."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        extra: dict[str, Any] = getattr(record, "fields", {})
        pairs = " ".join(f"{k}={v!r}" if isinstance(v, str) else f"{k}={_short(v)}" for k, v in extra.items())
        return f"{self.formatTime(record, '%H:%M:%S')} {record.getMessage()} {pairs}".rstrip()


def _short(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
