"""From lines to events: a stack trace, a statement over many lines, is one event. Line numbers stay those of the file."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fastagent_tools.logs import levels
from fastagent_tools.logs.formats import Fields
from fastagent_tools.text.times import Clock, Stamp

MAX_EVENT_LINES = 400
_LOOK_AT_CHARS = 400  # of a line, when asking whether it belongs to a trace
_FRAME = re.compile(  # continues an event, and makes it a trace
    r"\s+at [\w.$<>`\[(/]|\s*File \"|\s*\.\.\. \d+ (?:more|common frames)|\s*#\d+ +\S|\s*Caused by: |\[stacktrace\]"
    r"|Stack trace:|During handling of the above|The above exception was|\s*---> |\s*--- End of|\s*nested exception is"
    r"|goroutine \d+ \[|\t\S+\.go:\d+|\[signal SIG|created by [\w./]|Traceback \(most recent call last\)"
)
_FRAME_STARTS = frozenset(" \t#.CFSDT-gc[")
_INSIDE = re.compile(r"[\w./*-]{1,200}\.[\w.()*{}]{1,200}\(|\s*[\^~]+\s*$")  # continues a trace, and nothing else
_ENDS = re.compile(  # the line of a trace that names what went wrong: the last one of these is the root
    r"(?:Caused by: |\s*---> |Unhandled exception: ?)?(?:[\w$]+[.:])*[\w$]*(?:Error|Exception|Interrupt|Exit|Fault|Warning|Failure)\b(?::| |$|\()"
)
_NEVER_ALONE = re.compile(
    r"Traceback \(most recent call last\)|Unhandled exception:|panic: |fatal error: |Exception in thread"
)


@dataclass(slots=True)
class Event:
    """One record of a log. Grows while its file is read and is not touched afterwards.

    Not frozen, because one is made for each line: setting fields of a frozen dataclass costs three times as much.
    """

    file: int  # index into the corpus' files
    line: int  # 1-based; its first line
    lines: int
    stamp: Stamp | None
    level: str
    message: str
    service: str
    stack: bool = False
    cause: str = ""  # of a stack trace, the line that names the root
    cause_line: int = 0
    guessed: bool = False  # nobody stated the level: it was read from the words


@dataclass(slots=True)
class Joiner:
    """Turns the lines of one file into events. `unparsed` counts lines that neither have a header nor continue one."""

    file: int
    service: str
    read: Callable[[str], Fields]
    clock: Clock
    headed: bool  # the file has a format, so that a line without a header is the exception
    name: Callable[[str], str] = str  # a writer's name as the incident knows it
    unparsed: int = 0
    _named: dict[str, str] = field(default_factory=dict)

    def join(self, lines: Iterable[str], first: int) -> list[Event]:
        """The events of consecutive lines, the first of which is line `first` of the file."""
        events: list[Event] = []
        last: dict[str, Event] = {}  # by writer: containers of one stream interleave
        for number, line in enumerate(lines, first):
            fields = self.read(line)
            message = fields.message
            before = last.get(fields.service)
            if before and before.lines < MAX_EVENT_LINES and self._continues(fields, message, before):
                _extend(before, message, number)
                continue
            if not message.strip():
                continue
            if self.headed and not fields.head:
                self.unparsed += 1
            event = self._begin(fields, number)
            events.append(event)
            last[fields.service] = event
        return events

    def _begin(self, fields: Fields, number: int) -> Event:
        stamp = self.clock.read(fields.time) if fields.time else None
        service = self._service(fields.service or self.service)
        event = Event(self.file, number, 1, stamp, fields.level, fields.message, service, guessed=fields.guessed)
        if _NEVER_ALONE.search(fields.message):
            event.stack = True
        return event

    def _service(self, said: str) -> str:
        named = self._named.get(said)
        if named is None:
            named = self._named[said] = self.name(said)
        return named

    def _continues(self, fields: Fields, message: str, before: Event) -> bool:
        if not message.strip():
            return before.stack and not fields.head
        message = message[:_LOOK_AT_CHARS]
        if message[0] in _FRAME_STARTS and _FRAME.match(message):
            return True
        if before.stack and not fields.head:
            return message[0].isspace() or bool(_ENDS.match(message)) or bool(_INSIDE.match(message))
        if fields.head or levels.RANK[fields.level] >= levels.RANK["error"]:
            return False
        return message[0].isspace() and not before.message[0].isspace()


def _extend(event: Event, message: str, number: int) -> None:
    message = message[:_LOOK_AT_CHARS]
    event.lines = number - event.line + 1
    if message[:1] in _FRAME_STARTS and _FRAME.match(message):
        event.stack = True
    if event.stack and _ENDS.match(message):
        event.cause, event.cause_line = message.strip(), number
        event.level = levels.worse(event.level, "error") if event.level in ("", "info") else event.level
