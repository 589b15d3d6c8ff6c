"""Log entries in JSON as log services return them: judged like log lines, by level and by the fault they name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fastagent.state import Finding, Severity
from fastagent_tools.cloud.document import Around, Document
from fastagent_tools.kubernetes.messages import is_over, is_recovery, meaning_of
from fastagent_tools.kubernetes.naming import among, by_name
from fastagent_tools.logs import levels
from fastagent_tools.logs.fatal import fault_of
from fastagent_tools.text.fields import Json, items, text, words

_SCORE = {"warning": 0.4, "error": 0.6, "critical": 0.7}
_COMPONENT = re.compile(r"^(kubelet|kube-|node-controller|coredns|cluster-autoscaler|etcd)")
_NAMED = re.compile(r"\b(?:pod|deployment|node|job) ([a-z0-9][a-z0-9.-]+)", re.IGNORECASE)
_MAX_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A log entry. `level` is as logged; "" where it does not say."""

    message: str
    level: str
    service: str
    time: str


def judge_logs(document: Document, around: Around) -> list[Finding]:
    """Entries that warn or name a fault, and those that tell of a recovery; the same words count once."""
    entries = list(_entries(document.value))[:_MAX_ENTRIES]
    made: dict[str, Finding] = {}
    alarms = 0
    for entry in entries:
        finding = _judge(entry, document, around)
        if finding:
            alarms += finding.severity != "info"
            made.setdefault(finding.statement, finding)
    if entries and not alarms:
        said = f"{len(entries)} log entries, no warning, error or known fault among them"
        made[said] = document.original.finding(
            "cloud.healthy.logs", said, "info", 0.25, "none is alarming",
            entity=entries[0].service, needles=(entries[0].message,),
        )  # fmt: skip
    return list(made.values())


def _entries(value: object) -> Iterator[Entry]:
    service = text(value, "service", "pod_name", "logStreamName")
    for entry in items(value, "logs", "logEvents", "log_events"):
        yield _entry(entry, service)
    for line in text(value, "logs", "log").splitlines():
        if line.strip():
            yield Entry(line.strip(), "", service, line.split(" ", 1)[0] if line[:4].isdigit() else "")


def _entry(entry: Json, service: str) -> Entry:
    attributes = entry.get("attributes")
    value = {**attributes, **entry} if isinstance(attributes, dict) else entry
    level = levels.of_word(text(value, "status", "level", "severity"))
    named = text(value, "service", "host") or service
    return Entry(text(value, "message", "content"), level, _about(named, value), text(value, "timestamp", "date"))


def _about(service: str, value: Json) -> str:
    """Whom an entry is about: what a component of the cluster logs is about the workload in its tags or words."""
    if not _COMPONENT.match(service):
        return service
    tags = dict(tag.split(":", 1) for tag in words(value, "tags") if ":" in tag)
    named = _NAMED.search(text(value, "message"))
    return tags.get("kube_deployment") or by_name(tags.get("kube_pod") or (named[1] if named else service))


def _judge(entry: Entry, document: Document, around: Around) -> Finding | None:
    fault = fault_of(entry.message)
    meaning = meaning_of("", entry.message)
    level = entry.level or levels.of_text(entry.message)
    level = fault.level_of(level, guessed=not entry.level) if fault else level
    if meaning and not entry.level:
        level = levels.worse(level, "warning")
    over = is_over(entry.message) or around.is_old(entry.time)
    alarming = levels.RANK[level] >= levels.RANK["warning"]
    entry = replace(entry, service=_workload(entry.service, around))
    if is_recovery(entry.message):
        return _finding(entry, document, "cloud.healthy.recovered", "info", 0.35, "it tells of a recovery")
    if not alarming:
        return None
    if over:
        return _finding(entry, document, "cloud.over", "info", 0.2, "long before, or an orderly end")
    kind = f"log.fatal.{fault.name}" if fault else meaning.kind if meaning else f"log.{level}"
    score = max(_SCORE[level] + (0.15 if fault else 0.0), (meaning.score - 0.1) if meaning else 0.0)
    return _finding(entry, document, kind, levels.severity(level), score, fault.says if fault else f"logged as {level}")


def _workload(service: str, around: Around) -> str:
    """A pod's workload; anything else as it is called."""
    plain = by_name(service)
    return plain if plain != service else among(service, (w.name for w in around.cluster.workloads)) or service


def _finding(entry: Entry, document: Document, kind: str, severity: Severity, score: float, reason: str) -> Finding:
    time = entry.time if entry.time[:4].isdigit() else None
    return document.original.finding(
        kind, entry.message, severity, score, reason, entity=entry.service, needles=(entry.message,), time=time
    )
