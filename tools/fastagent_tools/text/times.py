"""Time stamps of logs, to seconds since the epoch. One without a zone is taken as UTC, and said to be without."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_ZONES = {  # minutes east
    "z": 0, "utc": 0, "gmt": 0, "cet": 60, "cest": 120, "est": -300, "edt": -240, "cst": -360, "cdt": -300,
    "pst": -480, "pdt": -420, "ist": 330, "jst": 540,
}  # fmt: skip
_FRACTION = re.compile(r"(?<=:\d\d)[.,](\d{1,9})")
_CLOCK = r"(?P<H>\d\d):(?P<M>\d\d):(?P<S>\d\d)"
_ZONE = r"(?: ?(?P<zone>Z|[A-Z]{3,4}|[+-]\d\d:?\d\d))?"
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"(?P<y>\d{{4}})[-/](?P<m>\d\d)[-/](?P<d>\d\d)[T ]{_CLOCK}{_ZONE}$",
        rf"(?P<d>\d\d)/(?P<m>[a-z]{{3}})/(?P<y>\d{{4}}):{_CLOCK}{_ZONE}$",
        rf"(?:[a-z]{{3}},? )?(?P<m>[a-z]{{3}}) +(?P<d>\d\d?) {_CLOCK}(?: (?P<y>\d{{4}}))?$",
        rf"(?:[a-z]{{3}},? )?(?P<d>\d\d?) (?P<m>[a-z]{{3}}) (?P<y>\d{{4}}) {_CLOCK}{_ZONE}$",
        rf"(?P<m>\d\d)(?P<d>\d\d) {_CLOCK}$",
        rf"(?P<y>\d\d)/(?P<m>\d\d)/(?P<d>\d\d) {_CLOCK}$",
    )
)
_EPOCH = re.compile(r"\d{9,19}(?:\.\d+)?$")
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # at least this large: so many ticks a second


class Stamp(NamedTuple):
    """Seconds since the epoch, and whether the log said which zone it meant."""

    at_s: float
    zoned: bool


class Clock:
    """Reads stamps of many shapes. Whole seconds are remembered: logs repeat them, and parsing is slow.

    `year` stands in where a stamp has none (syslog, klog).
    """

    def __init__(self, year: int) -> None:
        self._year = year
        self._seen: dict[str, Stamp | None] = {}

    def read(self, text: str) -> Stamp | None:
        """The stamp, or nothing where it is none of the known shapes."""
        found = _FRACTION.search(text)
        whole = text[: found.start()] + text[found.end() :] if found else text
        if whole not in self._seen:
            if len(self._seen) > 100_000:
                self._seen.clear()
            self._seen[whole] = self._parse(whole.strip(" []"))
        stamp = self._seen[whole]
        if stamp and found:
            return Stamp(stamp.at_s + float(f"0.{found[1]}"), stamp.zoned)
        return stamp

    def _parse(self, text: str) -> Stamp | None:
        if _EPOCH.match(text):
            return from_epoch(float(text))
        for shape in _SHAPES:
            if match := shape.match(text):
                return self._build(match.groupdict())
        return None

    def _build(self, part: dict[str, str | None]) -> Stamp | None:
        month = part["m"] or ""
        year = int(part.get("y") or self._year)
        zone = _zone(part.get("zone"))
        hour, minute, second = (int(part[name] or 0) for name in "HMS")
        try:
            moment = datetime(
                year if year > 99 else 2000 + year,
                _MONTHS.get(month.lower()) or int(month),
                int(part["d"] or 0),
                hour,
                minute,
                min(second, 59),  # a leap second
                tzinfo=zone or UTC,
            )
        except (ValueError, OverflowError):
            return None
        return Stamp(moment.timestamp(), zone is not None)


def from_epoch(number: float) -> Stamp | None:
    """Seconds, milli-, micro- or nanoseconds since 1970, told apart by size; nothing for other numbers."""
    if not 1e8 < number < 1e19:
        return None
    return Stamp(number / next((per_s for least, per_s in _UNITS if number >= least), 1), zoned=True)


def iso(stamp: Stamp | None) -> str | None:
    """ISO 8601; with a zone only where the log had one."""
    if stamp is None:
        return None
    try:
        moment = datetime.fromtimestamp(stamp.at_s, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    text = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z" if stamp.zoned else "")


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    if text[0] in "+-":
        digits = text[1:].replace(":", "")
        minutes = int(digits[:2]) * 60 + int(digits[2:])
        minutes = -minutes if text[0] == "-" else minutes
    elif text.lower() in _ZONES:
        minutes = _ZONES[text.lower()]
    else:
        return None
    return timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else None
