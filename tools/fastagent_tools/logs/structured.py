"""Lines that name their fields: JSON, logfmt, Windows event XML, auditd, CEF. The message is what gets grouped, not the line."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from fastagent_tools.logs import levels

_TIME = ("@timestamp", "timestamp", "time", "ts", "t", "eventTime", "requestReceivedTimestamp", "start_time", "date",
         "datetime", "asctime", "Timestamp", "@t")  # fmt: skip
_LEVEL = ("level", "log.level", "lvl", "severity", "levelname", "severityText", "s", "loglevel", "log_level", "Level",
          "@l", "priority", "status_level")  # fmt: skip
_MESSAGE = ("msg", "message", "event", "log", "body", "text", "MESSAGE", "short_message", "@m", "@mt", "err", "error")
_ERROR = ("error", "err", "exception", "exc_info", "reason", "error.message", "stack_trace", "stack")
_SERVICE = ("service", "service.name", "app", "application", "service_name", "container")
_STATUS = ("status", "statusCode", "status_code", "response_code", "code")
_SLOW = ("durationMillis", "responseTime", "duration_ms", "elapsed_ms", "latency_ms", "took_ms")
SLOW_MS = 2_000.0  # a request that takes longer keeps somebody waiting
_PAIR = re.compile(r"([A-Za-z_][\w.@/-]*)=(\"(?:[^\"\\]|\\.)*\"|[^\s]*)")
_NOTHING = {"", "nil", "null", "none", "false", "<nil>", "0"}
_XML = re.compile(r"<EventID[^>]*>(\d+)</EventID>")
_XML_TIME = re.compile(r"SystemTime=['\"]([^'\"]+)['\"]")
_XML_LEVEL = re.compile(r"<Level>(\d)</Level>")
_XML_DATA = re.compile(r"<Data Name=['\"](\w+)['\"]>([^<]*)</Data>")
_WINDOWS_LEVEL = {1: "critical", 2: "error", 3: "warning", 4: "info", 5: "debug"}  # 0: always logged, whatever it is
_WINDOWS_SAYS = {"4625": "an account failed to log on", "4740": "a user account was locked out",
                 "1102": "the audit log was cleared", "4720": "a user account was created"}  # fmt: skip
_AUDIT = re.compile(r"(?:node=\S+ )?type=(\w+) msg=audit\((\d+\.\d+):\d+\): ?(.*)")
_CEF = re.compile(
    r"(?:(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S+ )?(?:CEF: ?)?0\|([^|]*\|[^|]*)\|[^|]*\|[^|]*\|([^|]*)\|(\d+)\|(.*)"
)


class Record(NamedTuple):
    """The fields of a line that matter here."""

    time: str
    level: str  # "" = the line states none
    message: str
    service: str = ""


def read_json(line: str) -> Record | None:
    """One JSON object. Levels may be words or pino's and syslog's numbers; a trailing comma is forgiven."""
    if not line.startswith("{"):
        return None
    try:
        value = orjson.loads(line.rstrip().rstrip(","))
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if "resourceLogs" in value:
        return _read_otel(value)
    return Record(_time(value), _json_level(value), _json_message(value), _text(_first(value, _SERVICE)))


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((value[key] for key in keys if value.get(key) not in (None, "")), "")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        inner = _first(value, ("message", "msg", "name", "stringValue", "type", "$date"))
        return _text(inner) if inner != "" else orjson.dumps(value, default=str).decode()
    return "" if value == "" else str(value)


def _time(value: Mapping[str, Any]) -> str:
    return _text(_first(value, _TIME))


def _json_level(value: Mapping[str, Any]) -> str:
    said = _first(value, _LEVEL)
    if isinstance(said, int | float):
        level = levels.of_number(said) or levels.of_priority(int(said))
    else:
        level = levels.of_word(said) if isinstance(said, str) else ""
    if value.get("event_type") == "alert":  # an intrusion detector's finding
        return "warning"
    return levels.worse(level, _status_level(value))


def _status_level(value: Mapping[str, Any]) -> str:
    response = value.get("res")
    status = _first(response if isinstance(response, Mapping) else value, _STATUS)
    if isinstance(status, int) and 500 <= status <= 599:
        return "error"
    slow = _first(value, _SLOW)
    return "warning" if isinstance(slow, int | float) and slow >= SLOW_MS else ""


def _json_message(value: Mapping[str, Any]) -> str:
    nested = value.get("fields")
    alert = value.get("alert")
    if isinstance(nested, Mapping) and "message" in nested:
        message = _text(nested["message"])
    elif isinstance(alert, Mapping):
        message = _text(alert.get("signature", ""))
    else:
        message = _text(_first(value, _MESSAGE))
    if not message:
        message = orjson.dumps(value).decode()
    error = _text(_first(value, _ERROR))
    return message if not error or error in message else f"{message}: {error}"


def _read_otel(value: Mapping[str, Any]) -> Record | None:
    """OTLP puts many records on a line: the worst of them speaks for it."""
    worst: Record | None = None
    for resource in _list(value, "resourceLogs"):
        service = _attribute(resource.get("resource"), "service.name")
        for scope in _list(resource, "scopeLogs"):
            for record in _list(scope, "logRecords"):
                number = record.get("severityNumber")
                level = levels.of_otel(number) if isinstance(number, int) else ""
                level = level or levels.of_word(_text(record.get("severityText", "")))
                read = Record(_text(record.get("timeUnixNano", "")), level, _text(record.get("body", "")), service)
                if worst is None or levels.RANK[level] > levels.RANK[worst.level]:
                    worst = read
    return worst


def _list(value: Any, key: str) -> list[dict[str, Any]]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return [v for v in found if isinstance(v, dict)] if isinstance(found, list) else []


def _attribute(resource: Any, key: str) -> str:
    for attribute in _list(resource, "attributes"):
        if attribute.get("key") == key:
            return _text(attribute.get("value", ""))
    return ""


def read_logfmt(line: str) -> Record | None:
    """`key=value key="two words"`: at least two pairs, one of them a time, a level or a message, and little besides."""
    pairs = dict(_PAIR.findall(line)) if "=" in line else {}
    if len(pairs) < 2 or not pairs.keys() & {"level", "lvl", "msg", "ts", "time", "t", "severity", "caller"}:
        return None
    if sum(len(k) + len(v) + 2 for k, v in pairs.items()) < 0.6 * len(line):
        return None
    level = levels.of_word(_bare(pairs, ("level", "lvl", "severity")))
    message = _bare(pairs, ("msg", "message"))
    error = _bare(pairs, ("err", "error"))
    if error.lower() in _NOTHING:
        error = ""
    elif not level:
        level = "error"
    message = f"{message}: {error}" if message and error else message or error
    message = message or " ".join(f"{k}={v}" for k, v in pairs.items() if k not in {"ts", "time", "t"})
    return Record(_bare(pairs, ("ts", "time", "t")), level, message, _bare(pairs, _SERVICE))


def _bare(pairs: Mapping[str, str], keys: tuple[str, ...]) -> str:
    value = next((pairs[key] for key in keys if pairs.get(key)), "")
    return value[1:-1].replace('\\"', '"') if value.startswith('"') and value.endswith('"') else value


def read_windows_event(line: str) -> Record | None:
    """A Windows event as XML on one line."""
    event = _XML.search(line) if line.startswith("<Event") else None
    if not event:
        return None
    time, level = _XML_TIME.search(line), _XML_LEVEL.search(line)
    data = " ".join(f"{k}={v}" for k, v in _XML_DATA.findall(line)[:12] if v not in ("", "-"))
    said = _WINDOWS_LEVEL.get(int(level[1]), "") if level else ""
    message = f"EventID {event[1]} {_WINDOWS_SAYS.get(event[1], '')} {data}".strip()
    return Record(time[1] if time else "", said, message)


def read_audit(line: str) -> Record | None:
    """A record of the Linux audit daemon; ANOM_ records are anomalies by the kernel's own judgement."""
    match = _AUDIT.match(line)
    if not match:
        return None
    level = "warning" if match[1].startswith("ANOM_") or " res=failed" in line or "success=no" in line else "info"
    return Record(match[2], level, f"{match[1]} {match[3]}")


def read_cef(line: str) -> Record | None:
    """ArcSight's Common Event Format; its severity runs from 0 to 10."""
    match = _CEF.match(line)
    if not match:
        return None
    severity = int(match[4])
    return Record(match["time"] or "", "warning" if severity >= 7 else "info", f"{match[3]} {match[5]}", match[2])
