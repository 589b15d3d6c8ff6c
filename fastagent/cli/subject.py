"""What `investigate` is asked about: a bundle, an alert, or both."""

import sys
from pathlib import Path

from fastagent.alerts import Alert, incident_of, parse
from fastagent.bundle import Bundle
from fastagent.errors import InputError
from fastagent.state import Incident

MAX_ALERT_BYTES = 16 * 2**20


def subject(bundle: Path | None, alert: Path | None) -> Bundle | Incident:
    """The evidence with its incident, or the incident alone. Raises `InputError` where neither is given."""
    alerts = read_alerts(alert) if alert else []
    if bundle is not None:
        return Bundle.open(bundle, alerts)
    if alert is None:
        raise InputError("nothing to investigate: give the path of a bundle, or --alert FILE, or both")
    return incident_of(alerts)


def read_alerts(path: Path) -> list[Alert]:
    """The alerts of a payload in a file, or on standard input for "-". Raises `InputError`."""
    try:
        with sys.stdin.buffer if str(path) == "-" else path.open("rb") as file:
            raw = file.read(MAX_ALERT_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot read the alert: {error.strerror}") from None
    if not raw.strip():
        raise InputError(f"{path}: the alert is empty")
    if len(raw) > MAX_ALERT_BYTES:
        raise InputError(f"{path}: an alert above {MAX_ALERT_BYTES // 2**20} MB; logs and metrics belong into a bundle")
    return parse(raw)
