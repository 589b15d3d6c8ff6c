"""What `investigate` is asked about: a bundle, an alert, or both."""

import platform
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fastagent.alerts import Alert, incident_of, parse
from fastagent.bundle import Bundle
from fastagent.cli.record import record
from fastagent.cli.stdin import spooled
from fastagent.errors import InputError
from fastagent.live import LiveCommands
from fastagent.state import Incident

BEFORE, AFTER = timedelta(minutes=30), timedelta(minutes=10)  # what led to a moment, and what came of it
_AGO = re.compile(r"(\d{1,6}(?:\.\d+)?)\s*([smhd])(?:\s+ago)?")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MAX_ALERT_BYTES = 16 * 2**20


def subject(
    bundle: Path | None, alert: Path | None, *, live: bool = False, left_s: Callable[[], float] = lambda: 60.0
) -> Bundle | Incident:
    """The evidence with its incident, or the incident alone. Raises `InputError` where there is nothing to go by."""
    alerts = read_alerts(alert, left_s) if alert else []
    if bundle is not None:
        return Bundle.open(bundle, alerts, has_time=lambda: left_s() > 0)
    if alert is not None:
        return incident_of(alerts)
    if live:
        return Incident(f"Trouble on {platform.node()}")
    raise InputError("nothing to investigate: give the path of a bundle, or --alert FILE, or --live")


def live_commands(evidence: Bundle | Incident, at: datetime | None = None) -> LiveCommands:
    """Commands of this machine; what the bundle holds is not asked again. `at` is a past time to ask about."""
    around = (_local(at - BEFORE), _local(at + AFTER)) if at else None
    return LiveCommands(dict(evidence.commands) if isinstance(evidence, Bundle) else {}, around=around)


def _local(time: datetime) -> str:
    """As `journalctl` reads it: local time."""
    return time.strftime("%Y-%m-%d %H:%M:%S")


def moment(text: str, now: datetime) -> datetime:
    """A past time as people write it: 2026-12-01T05:40:00Z, 05:40, 2h ago.

    Raises `InputError` for anything else, and for what has not happened yet.
    """
    said = text.strip()
    ago, clock = _AGO.fullmatch(said), _CLOCK.fullmatch(said)
    if ago:
        found = now - timedelta(seconds=float(ago[1]) * _SECONDS[ago[2]])
    elif clock:
        found = now.replace(hour=int(clock[1]) % 24, minute=int(clock[2]) % 60, second=0, microsecond=0)
        found = found if found <= now else found - timedelta(days=1)
    else:
        try:
            found = datetime.fromisoformat(said)
        except ValueError:
            raise InputError(f"--at {text!r}: write 2026-12-01T05:40:00Z, 05:40 or '2h ago'") from None
    found = found if found.tzinfo else found.replace(tzinfo=now.tzinfo)
    if found > now:
        raise InputError(f"--at {text!r} has not happened yet")
    return found


def at_time(evidence: Bundle | Incident, at: datetime) -> Bundle | Incident:
    """The same evidence, about an incident that began then."""
    started_at = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        evidence.with_incident(started_at=started_at)
        if isinstance(evidence, Bundle)
        else replace(evidence, started_at=started_at)
    )


@contextmanager
def recorded(to: Path | None, evidence: Bundle | Incident, commands: LiveCommands | None) -> Iterator[None]:
    """Keeps what the commands printed, also when the run was broken off. Raises `InputError` without --live."""
    if to is not None and commands is None:
        raise InputError("--record keeps what --live reads; without --live there is nothing to keep")
    try:
        yield
    finally:
        if to is not None and commands is not None:
            incident = evidence.incident if isinstance(evidence, Bundle) else evidence
            record(to, incident, {**commands.recorded, **commands.outputs})


def read_alerts(path: Path, left_s: Callable[[], float]) -> list[Alert]:
    """The alerts of a payload in a file, or on standard input for "-". Raises `InputError`."""
    try:
        with spooled([str(path)], left_s) as (files, _), Path(files[0]).open("rb") as file:
            raw = file.read(MAX_ALERT_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot read the alert: {error.strerror}") from None
    if not raw.strip():
        raise InputError(f"{path}: the alert is empty")
    if len(raw) > MAX_ALERT_BYTES:
        raise InputError(f"{path}: an alert above {MAX_ALERT_BYTES // 2**20} MB; logs and metrics belong into a bundle")
    return parse(raw)
