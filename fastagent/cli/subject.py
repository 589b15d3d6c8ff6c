"""What `investigate` is asked about: a bundle, an alert, or both."""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fastagent.alerts import Alert, incident_of, parse
from fastagent.bundle import Bundle
from fastagent.cli.record import record
from fastagent.cli.stdin import spooled
from fastagent.errors import InputError
from fastagent.live import LiveCommands
from fastagent.state import Incident

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


def live_commands(evidence: Bundle | Incident) -> LiveCommands:
    """Commands of this machine; what the bundle holds is not asked again."""
    return LiveCommands(dict(evidence.commands) if isinstance(evidence, Bundle) else {})


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
