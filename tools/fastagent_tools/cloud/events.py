"""Events of managed services (RDS and its kind): failovers, full storage, maintenance, limits."""

import re
from dataclasses import dataclass

from fastagent.state import Finding, Severity
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.kubernetes.messages import is_over
from fastagent_tools.logs.fatal import fault_of
from fastagent_tools.text.fields import Json, items, text


@dataclass(frozen=True, slots=True)
class Kind:
    """Events of one kind."""

    name: str
    says: str
    severity: Severity
    score: float
    pattern: re.Pattern[str]


def _k(name: str, says: str, severity: Severity, score: float, pattern: str) -> Kind:
    return Kind(name, says, severity, score, re.compile(pattern, re.IGNORECASE))


_KINDS = (  # the more specific first
    _k("storage_full", "storage is used up", "critical", 0.92, r"(ran|run) out of (disk |storage )?space|storage[- ]full|insufficient storage"),
    _k("storage_low", "storage runs out", "error", 0.85, r"(storage|disk).{0,60}(critically low|getting low|is low)|free storage .{0,30}low|has grown (to|by) \d+"),
    _k("recovered", "it is back", "info", 0.3, r"failover (has )?completed|finished .{0,20}failover|is available|maintenance complete|recovery .{0,40}complete|successfully"),
    _k("failover", "a failover", "error", 0.85, r"fail ?over"),
    _k("maintenance", "maintenance", "info", 0.2, r"maintenance|upgrade|needs to be rebooted|backup|snapshot|patch|parameter group|promoted|rotation"),
    _k("crash", "it crashed or was restarted", "error", 0.7, r"\bcrash|restarted|restarting|shutdown|rebooted|recovery of the db instance has started"),
    _k("connections", "connections run out", "error", 0.85, r"max_connections|connection slots|too many connections"),
    _k("replication", "a replica lags behind", "error", 0.7, r"replica(tion)?.{0,40}(lag|stopped|error|behind)|replication .{0,20}fail"),
    _k("load", "it is under load", "warning", 0.5, r"(cpu|memory|iops).{0,60}(exceed|above|high|elevated)|storage space is at \d+%"),
)  # fmt: skip
_ALARMING = re.compile(r"failure|low storage|warning", re.IGNORECASE)


def judge_events(document: Document, around: Around) -> list[Finding]:
    """The events that say something; old ones are context and no alarm."""
    found = []
    for event in items(document.value, "events", "Events"):
        message = text(event, "message", "Message", "description")
        if message and not text(event, "reason"):
            found += _judge(event, message, document, around)
    return found


def _judge(event: Json, message: str, document: Document, around: Around) -> list[Finding]:
    time = text(event, "date", "Date", "timestamp", "time")
    kind = next((k for k in _KINDS if k.pattern.search(message)), None) or _by_words(event, message)
    if kind is None:
        return []
    passed = around.is_old(time) or (is_over(message) and kind.severity != "info")
    severity: Severity = "info" if passed else kind.severity
    score = kind.score * 0.2 if passed else kind.score
    reason = kind.says + (", but long before" if around.is_old(time) else "")
    made = document.original.finding(
        f"cloud.event.{kind.name}", f"{message} ({time})" if time else message, severity, score, reason,
        entity=text(event, "source_identifier", "SourceIdentifier", "source", "resource"), needles=(message,), time=time,
    )  # fmt: skip
    return [made]


def _by_words(event: Json, message: str) -> Kind | None:
    """By a fault that the words name, or by the category that the provider gave."""
    if fault := fault_of(message):
        return Kind(fault.name, fault.says, fault.severity, 0.7, re.compile(""))
    categories = " ".join(map(str, event.get("event_categories") or event.get("EventCategories") or ()))
    if _ALARMING.search(categories):
        return Kind("warning", categories, "warning", 0.5, re.compile(""))
    return None
