"""The ways in which senders write a point in time, brought to ISO 8601 in UTC."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

EARLIEST, LATEST = 1990, 2100  # years; what lies outside is a wrong unit or a placeholder
_PLACEHOLDERS = ("", "0", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "null", "None")
_ZONE_NAME = re.compile(r"\s*(?:UTC|GMT|Z)$")
_NANOSECONDS = re.compile(r"(\.\d{6})\d+")
_CTIME = re.compile(r"^\w{3} (\w{3}) +(\d+) (\d\d:\d\d:\d\d) (?:(?:UTC|GMT) )?(\d{4})$")
_UNITS = (1.0, 1e3, 1e6, 1e9)  # seconds, milli-, micro-, nanoseconds


def iso(value: Any) -> str | None:
    """The time in UTC, or None for a placeholder that means "not known". Raises `ValueError` for what is no time.

    A time without a zone is taken for UTC. Numbers are Unix time; their size tells the unit.
    """
    if isinstance(value, str):
        text = value.strip()
        return None if text in _PLACEHOLDERS else _written(_from_text(text))
    if isinstance(value, int | float) and value is not True:
        return _written(_from_number(value)) if value else None
    raise ValueError("not a time")


def _from_number(value: float) -> datetime:
    for unit in _UNITS:
        try:
            time = datetime.fromtimestamp(value / unit, UTC)
        except (OverflowError, OSError, ValueError):
            continue
        if EARLIEST <= time.year < LATEST:
            return time
    raise ValueError("not a time")


def _from_text(text: str) -> datetime:
    if re.fullmatch(r"\d{9,19}(\.\d+)?", text):
        return _from_number(float(text))
    named = re.search(r"\s[+-]\d{4}\s+UTC$", text)  # Go's own way of printing a time
    plain = _NANOSECONDS.sub(r"\1", _ZONE_NAME.sub("", text) if named or not text.endswith("Z") else text)
    try:
        return datetime.fromisoformat(re.sub(r"\s([+-]\d{4})$", r"\1", plain).replace("/", "-"))
    except ValueError:
        pass
    if found := _CTIME.match(text):
        month, day, clock, year = found.groups()
        text = f"{day} {month} {year} {clock} +0000"
    try:
        return parsedate_to_datetime(text)
    except (TypeError, IndexError, ValueError):
        raise ValueError("not a time") from None


def _written(time: datetime) -> str:
    try:
        utc = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError("not a time") from None
    if not EARLIEST <= utc.year < LATEST:
        raise ValueError("not a time of this age")
    return utc.isoformat(timespec="milliseconds" if utc.microsecond else "seconds").replace("+00:00", "Z")
