"""What every recorder of an incident needs: a clock, logs in several dialects, metrics, and the bundle on disk."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def utc_now() -> datetime:
    """The time of day, in UTC: recordings name no other zone."""
    return datetime.now(UTC)


def iso(at: datetime) -> str:
    """ISO 8601 with milliseconds and Z."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(slots=True)
class Metrics:
    """Samples in long form: timestamp, service, metric, value."""

    rows: list[tuple[str, str, str, float]] = field(default_factory=list)

    def add(self, service: str, values: Mapping[str, float]) -> None:
        """One sample of several metrics, now."""
        at = iso(utc_now())
        self.rows += [(at, service, name, value) for name, value in values.items()]

    def write(self, path: Path) -> None:
        """CSV with a head."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("timestamp", "service", "metric", "value"))
            writer.writerows(self.rows)


@dataclass(frozen=True, slots=True)
class ServiceLog:
    """One service's log in its own dialect: "python", "json" or "logfmt". Each line is written at once."""

    path: Path
    service: str
    dialect: str
    logger: str = "db"

    def write(self, level: str, message: str, detail: str = "") -> None:
        """One event; `detail` is what a library printed with it, several lines perhaps."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self._line(utc_now(), level, message, detail) + "\n")

    def _line(self, at: datetime, level: str, message: str, detail: str) -> str:
        if self.dialect == "json":
            fields = {"ts": iso(at), "level": level.lower(), "service": self.service, "msg": message}
            return json.dumps(fields | ({"error": detail} if detail else {}))
        if self.dialect == "logfmt":
            error = f" err={json.dumps(detail)}" if detail else ""
            return f"ts={iso(at)} level={level.lower()} component={self.service} msg={json.dumps(message)}{error}"
        stamp = at.strftime("%Y-%m-%d %H:%M:%S,") + f"{at.microsecond // 1000:03d}"
        head = f"{stamp} {level} {self.service.replace('-', '_')}.{self.logger}: {message}"
        return f"{head}\n{detail}" if detail else head


def write_json(path: Path, value: Any) -> None:
    """Indented JSON with a newline at its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def alertmanager(name: str, service: str, summary: str, started_at: datetime) -> dict[str, Any]:
    """An alert as Alertmanager posts it to a webhook (version 4)."""
    labels = {"alertname": name, "service": service, "severity": "page"}
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": summary},
        "startsAt": iso(started_at),
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "",
        "fingerprint": "5f1c9a7e2b3d4c60",
    }
    return {
        "version": "4",
        "groupKey": f'{{}}:{{alertname="{name}"}}',
        "status": "firing",
        "receiver": "on-call",
        "groupLabels": {"alertname": name},
        "commonLabels": labels,
        "commonAnnotations": {"summary": summary},
        "externalURL": "",
        "alerts": [alert],
    }


def expected(**fields: Any) -> dict[str, Any]:
    """The answer beside a bundle, every field of the form present."""
    form: dict[str, Any] = {
        "id": "", "source": "examples", "licence": "Apache-2.0", "split": "open", "task": "component", "component": [],
        "candidates": 0, "label": None, "category": None, "keywords": [], "forbidden": [], "commit": None, "decoys": [],
        "lines": [], "line_file": None, "notes": "",
    }  # fmt: skip
    return form | fields


def calls(*pairs: Sequence[str]) -> dict[str, Any]:
    """A topology: who calls whom."""
    return {"calls": [list(pair) for pair in pairs]}
