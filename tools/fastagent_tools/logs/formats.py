"""The formats that are told apart, one declaration each. `name` is what reports print.

A pattern's groups: `time`, `level`, `number` (a priority or status instead of a level), `service`, `message`. More
specific formats come first: the first of equal confidence wins.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from fastagent_tools.logs import levels, structured


class Fields(NamedTuple):
    """What one line says. A tuple, because one is made for each line of a log."""

    time: str
    level: str  # "" = the line does not say
    message: str
    service: str = ""
    head: bool = True  # false: the line has no header of its own and may continue the one before
    guessed: bool = False  # the level was read from the words of the message


@dataclass(frozen=True, slots=True)
class Format:
    """A named way to write a line. `read` gives its fields, or nothing where the line is of another format."""

    name: str
    read: Callable[[str], Fields | None]


_ISO = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d|[A-Z]{3,4}(?= [\[\(])))?"
_SYSLOG_TIME = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
_WORD = r"TRACE|DEBUG\d?|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|ALERT|EMERG(?:ENCY)?|PANIC|VERBOSE|FINE"
_ANY_CASE = rf"(?i:{_WORD})"
_APP = r"(?P<service>[^\s:\[]{1,80}?)(?:\[[^\]]*\])?"


def _of_level(match: re.Match[str]) -> str:
    return levels.of_word(match["level"])


def _unsaid(_: re.Match[str]) -> str:
    return ""


def _of_priority(match: re.Match[str]) -> str:
    if not match["number"]:
        return ""
    words = levels.of_text(match["message"])
    return levels.worse(levels.of_priority(int(match["number"])), "warning" if words == "warning" else "")


def _of_status(match: re.Match[str]) -> str:
    return levels.of_status(int(match["number"]))


def _of_redis(match: re.Match[str]) -> str:
    said = {".": "debug", "-": "info", "*": "info", "#": "warning"}[match["level"]]
    return levels.worse(said, levels.of_text(match["message"]))


def _fields(time: str, level: str, message: str, service: str) -> Fields:
    """A line's fields; where it states no level, its words are asked."""
    if level:
        return Fields(time, level, message, service)
    return Fields(time, levels.of_text(message), message, service, guessed=True)


def _regex(name: str, pattern: str, level: Callable[[re.Match[str]], str] = _of_level) -> Format:
    compiled = re.compile(pattern)
    groups = compiled.groupindex

    def read(line: str) -> Fields | None:
        match = compiled.match(line)
        if match is None:
            return None
        time = match["time"] if "time" in groups else ""
        service = match["service"] if "service" in groups else ""
        return _fields(time or "", level(match), match["message"], service or "")

    return Format(name, read)


def _structured(name: str, reader: Callable[[str], structured.Record | None]) -> Format:
    def read(line: str) -> Fields | None:
        record = reader(line)
        return _fields(record.time, record.level, record.message, record.service) if record else None

    return Format(name, read)


FORMATS: tuple[Format, ...] = (
    _structured("json", structured.read_json),
    _structured("windows-event-xml", structured.read_windows_event),
    _structured("auditd", structured.read_audit),
    _structured("cef", structured.read_cef),
    _regex(
        "syslog-5424",
        r"<(?P<number>\d{1,3})>1 (?P<time>\S+) \S+ (?P<service>\S+) \S+ \S+ (?:-|(?:\[[^\]]*\])+) ?(?P<message>.*)",
        _of_priority,
    ),
    _regex(
        "postgres",
        rf"(?P<time>{_ISO}) \[\d+(?:-\d+)?\](?:[: ]+[^:]{{0,160}}?)? ?"  # user@db, application: [unknown] too
        r"(?P<level>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG\d?|STATEMENT|DETAIL|HINT|CONTEXT|QUERY):  (?P<message>.*)",
    ),
    _regex(
        "http-access",
        r"(?:\S+ )?\S+ \S+ \S+ \[(?P<time>[^\]]+)\] \"(?P<message>[^\"]*\" (?P<number>\d{3})\b.*)",
        _of_status,
    ),
    _regex(
        "envoy-access",
        r"\[(?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z)\] \"(?P<message>[^\"]*\" (?P<number>\d{1,3})\b.*)",
        _of_status,
    ),
    _regex(
        "nginx-error",
        r"(?P<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?P<level>\w+)\] \d+#\d+: (?:\*\d+ )?(?P<message>.*)",
    ),
    _regex(
        "apache-error",
        r"\[(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:.]+ \d{4})\] \[(?:\w*:)?(?P<level>\w+)\] (?:\[[^\]]*\] )*(?P<message>.*)",
    ),
    _regex(
        "klog",
        r"(?P<level>[IWEFC])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d+) +\d+ (?P<message>\S+:\d+\] .*)",
    ),
    _regex(
        "redis",
        r"\d+:[XCSM] (?P<time>\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d+) (?P<level>[.*#-]) (?P<message>.*)",
        _of_redis,
    ),
    _regex("dmesg", r"(?:<\d+>)?\[ *\d+\.\d{6}\](?:\[ *[TC]\d+\])? ?(?P<message>.*)", _unsaid),
    _regex("monolog", rf"\[(?P<time>{_ISO})\] (?P<service>[\w-]+)\.(?P<level>[A-Z]+): (?P<message>.*)"),
    _regex("mozharness", rf"(?P<time>\d\d:\d\d:\d\d) +(?P<level>{_WORD}) -  ?(?P<message>.*)"),
    _regex(
        "taskcluster",
        rf"\[taskcluster(?::(?P<level>\w+))?(?: (?P<time>{_ISO}))?\] (?P<message>.*)",
        lambda m: levels.of_word(m["level"] or ""),
    ),
    _structured("logfmt", structured.read_logfmt),
    _regex(
        "log4j",  # time [thread] LEVEL logger - message, and time LEVEL [thread] logger: message
        rf"\[?(?P<time>{_ISO}|\d\d/\d\d/\d\d \d\d:\d\d:\d\d)\]?,? +(?:\[[^\]]*\] +)?(?P<level>{_WORD})\b *(?:\[[^\]]*\] +|\([^)]*\) +)*"
        r"(?P<message>[\w.$/-]+ *(?: - |: ).*)",
    ),
    _regex(
        "python-logging",  # time - name - LEVEL - message
        rf"\[?(?P<time>{_ISO})\]?(?: -)? (?P<service>[\w.]+) (?:- )?\[?(?P<level>{_WORD})\]? ?[-:]? ?(?P<message>.*)",
    ),
    _regex("python-basic", r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?P<message>[\w.]+:.*)"),
    _regex(
        "timestamp-level",
        rf"\[?(?P<time>{_ISO})\]?[ :|-]+(?:\S{{1,60}} ){{0,3}}?[\[(<|]? ?(?P<level>{_ANY_CASE})\b ?[\])>|:]*[ -]*(?P<message>.*)",
    ),
    _regex("level-timestamp", rf"\[?(?P<level>{_ANY_CASE})[\]:]? +\[?(?P<time>{_ISO})\]? ?-? ?(?P<message>.*)"),
    _regex(
        "syslog-3164",
        rf"(?:<(?P<number>\d{{1,3}})>)?(?P<time>{_SYSLOG_TIME}|\d{{4}}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) [\w.:-]+ {_APP}: ?(?P<message>.*)",
        _of_priority,
    ),
    _regex("timestamp", rf"\[?(?P<time>{_ISO}|{_SYSLOG_TIME})\]?[ :|-]+(?P<message>.*)", _unsaid),
    _regex("level", rf"\[?(?P<level>{_WORD})\]?(?::| -|\s\s|\]) *(?P<message>.*)"),
)


def _plain(line: str) -> Fields:
    return Fields("", levels.of_text(line), line, head=False, guessed=True)


PLAIN = Format("plain", _plain)
NAMES = (*(f.name for f in FORMATS), PLAIN.name)
