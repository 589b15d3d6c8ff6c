"""`fastagent ask`: a question in your words, about a report or about evidence."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from fastagent.bundle import Bundle
from fastagent.cli import session
from fastagent.cli.options import Common, Format
from fastagent.cli.subject import live_commands
from fastagent.errors import InputError
from fastagent.followup import Answered, answer, continued
from fastagent.report.text import clean
from fastagent.state import Incident

SCHEMA = "fastagent.report/"


def run(words: Sequence[str], bundle: Path | None, sla_s: float, common: Common, *, live: bool) -> int:
    """Answer from the report where it knows, else look again. Raises `InputError` where there is nothing to go by."""
    report, question = _read(words)
    told = answer(report, question) if report is not None else None
    if told is not None and report is not None:
        _say(told, question, common)
        return session.OK
    if bundle is None and not live:
        what = "the report does not tell; " if report is not None else ""
        raise InputError(f"{what}give --bundle PATH or --live, so that there is something to look at")
    evidence: Bundle | Incident = Bundle.open(bundle) if bundle else Incident("")
    incident = continued(report, question, evidence.incident if isinstance(evidence, Bundle) else evidence)
    subject = replace(evidence, incident=incident) if isinstance(evidence, Bundle) else incident
    return session.run(subject, sla_s, common, commands=live_commands(subject) if live else None)


def _read(words: Sequence[str]) -> tuple[dict[str, Any] | None, str]:
    """The report, if the first word is the file of one, and the question."""
    path = Path(words[0])
    report = _report(path) if path.suffix == ".json" or path.is_file() else None
    question = " ".join(words[1:] if report is not None else words).strip()
    if not question:
        raise InputError('ask what? fastagent ask report.json "when did it begin?"')
    return report, question


def _report(path: Path) -> dict[str, Any]:
    try:
        value = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot read the report: {error.strerror}") from None
    except ValueError:
        value = None
    if not isinstance(value, dict) or not str(value.get("schema") or "").startswith(SCHEMA):
        raise InputError(f"{path}: no report; write one with --format json -o {path.name}")
    return value


def _say(told: Answered, question: str, common: Common) -> None:
    if common.format is Format.json:
        value = {"question": question, "answer": list(told.lines), "evidence": list(told.evidence)}
        session.put(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode(), common)
        return
    quotes = [f"    {_place(e)}\n      │ {clean(str(e.get('quote')))}" for e in told.evidence]
    session.put("\n".join([*(clean(line) for line in told.lines), *quotes]) + "\n", common)


def _place(evidence: Any) -> str:
    source = evidence.get("source") or {}
    place = source.get("command") or source.get("file") or ""
    return clean(f"{place}:{source['line']}" if source.get("line") else str(place))
