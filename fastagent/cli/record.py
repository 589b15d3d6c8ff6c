"""`--record DIR`: what was read from live systems, as a bundle that can be replayed, shared and made into a test."""

from collections.abc import Mapping
from pathlib import Path

import orjson

from fastagent.errors import InputError
from fastagent.state import Incident, as_json

_TOLD = ("title", "started_at", "services", "namespace", "context", "target", "normal_window", "issue_window", "notes")


def record(to: Path, incident: Incident, outputs: Mapping[str, str]) -> None:
    """Write the incident and the outputs. Raises `InputError` where that cannot be done."""
    told = {name: value for name in _TOLD if (value := as_json(getattr(incident, name)))}
    try:
        to.mkdir(parents=True, exist_ok=True)
        _write(to / "incident.json", told)
        _write(to / "commands.json", dict(outputs))
        for number, alert in enumerate(incident.alerts, 1):
            _write(to / "alerts" / f"{number}.json", as_json(alert))
    except OSError as error:
        raise InputError(f"{to}: cannot record there: {error.strerror}") from None


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
