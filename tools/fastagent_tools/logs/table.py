"""Logs that were exported as CSV: the header names the columns, so a file brings its own format."""

import csv
import re
from collections.abc import Sequence

from fastagent_tools.logs import levels
from fastagent_tools.logs.formats import Fields, Format
from fastagent_tools.logs.structured import read_json

NAME = "csv"
_TIME = {"timestamp", "time", "timeunixnano", "@timestamp", "ts", "datetime", "date", "_time"}
_LEVEL = {"level", "severity", "loglevel", "priority", "status"}
_MESSAGE = ("message", "log", "msg", "body", "text", "content", "_raw", "line", "event")
_SERVICE = ("service", "servicename", "podname", "pod", "app", "application", "container", "host", "hostname", "source")
_STATED = re.compile(r"\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b")
_STATED_WITHIN = 80  # characters: a level stands at the head of a message


def csv_format(lines: Sequence[str]) -> Format | None:
    """The format that the header describes; None where the first line is no header of a log."""
    header = [cell.strip() for cell in _cells(lines[0])] if lines else []
    folded = [re.sub(r"[\s_-]", "", cell).lower() or cell for cell in header]
    time = next((i for i, name in enumerate(folded) if name in _TIME), None)
    message = next((folded.index(name) for name in _MESSAGE if name in folded), None)
    if time is None or message is None or len(header) < 2:
        return None
    level = next((i for i, name in enumerate(folded) if name in _LEVEL), None)
    service = next((folded.index(name) for name in _SERVICE if name in folded), None)
    first = lines[0]

    def read(line: str) -> Fields | None:
        if line == first:
            return Fields("", "", "")
        cells = _cells(line)
        if len(cells) <= max(time, message):
            return None
        text = ",".join(cells[message:]) if message == len(header) - 1 else cells[message]  # commas left unquoted
        whose = cells[service] if service is not None and service < len(cells) else ""
        said = levels.of_word(cells[level]) if level is not None and level < len(cells) else ""
        return _fields(cells[time], said, text, whose)

    return Format(NAME, read)


def _fields(time: str, level: str, text: str, service: str) -> Fields:
    """What the message itself states counts where the table has no column for it."""
    record = read_json(text)
    if record is not None:
        text, level, service = record.message, level or record.level, service or record.service
    if not level and (stated := _STATED.search(text, 0, _STATED_WITHIN)):
        level = levels.of_word(stated[1])
    if level:
        return Fields(time, level, text, service)
    return Fields(time, levels.of_text(text), text, service, guessed=True)


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []
