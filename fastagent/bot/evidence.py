"""What an incident is investigated on: a recorded bundle that its alert names, live metrics, both, or nothing."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import httpx2
import orjson

from fastagent.alerts import incident_of
from fastagent.bot.prometheus import Prometheus, Window
from fastagent.bot.queue import Entry
from fastagent.bot.settings import Settings
from fastagent.bundle import Bundle
from fastagent.errors import InputError
from fastagent.state import Gap, Incident

PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")
LIVE_SHARE = 1 / 3  # of the SLA, at most, goes into fetching metrics


async def gather(
    entry: Entry, settings: Settings, client: httpx2.AsyncClient, clock: Callable[[], float] = time.time
) -> Bundle | Incident:
    """The evidence there is. What could not be had is a gap of the bundle, never an error."""
    recorded, gaps = _recorded(entry, settings.bundles)
    if not settings.prometheus:
        return recorded or _without_evidence(entry, gaps)
    incident = recorded.incident if recorded else incident_of(entry.alerts)
    folder = settings.recordings / entry.id
    _describe(incident, folder)
    prometheus = Prometheus(settings.prometheus, client)
    window = Window.around(_unix(incident.started_at), clock())
    limit_s = settings.sla_s * LIVE_SHARE
    gaps += await prometheus.record(incident.services, window, folder / "metrics", limit_s)
    live = Bundle.open(folder, entry.alerts)
    whole = recorded.joined(live) if recorded else live
    return replace(whole, gaps=(*whole.gaps, *gaps))


def _recorded(entry: Entry, bundles: Path | None) -> tuple[Bundle | None, list[Gap]]:
    """The bundle that the alert names: a plain name below the granted folder, nothing else."""
    if not entry.bundle:
        return None, []
    if bundles is None or not PLAIN_NAME.fullmatch(entry.bundle) or ".." in entry.bundle:
        return None, [Gap("bundle: not a name below --bundles", "forbidden")]
    root = bundles / entry.bundle
    inner = root / "bundle"  # a case for evaluation keeps its bundle beside what is expected of it
    chosen = (inner if inner.is_dir() else root).resolve()
    if bundles.resolve() not in chosen.parents:
        return None, [Gap(f"bundle: {entry.bundle}", "forbidden")]
    try:
        return Bundle.open(chosen, entry.alerts), []
    except InputError:
        return None, [Gap(f"bundle: {entry.bundle}", "absent")]


def _without_evidence(entry: Entry, gaps: list[Gap]) -> Incident:
    notes = "; ".join(f"{gap.source} ({gap.reason})" for gap in gaps)
    return replace(incident_of(entry.alerts), notes=notes)


def _describe(incident: Incident, folder: Path) -> None:
    """What makes the recording a bundle that can be replayed."""
    told = {"title": incident.title, "started_at": incident.started_at, "services": list(incident.services)}
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(exist_ok=True)
    (folder / "incident.json").write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2))


def _unix(started_at: str | None) -> float | None:
    try:
        return datetime.fromisoformat(started_at).timestamp() if started_at else None
    except ValueError:
        return None
