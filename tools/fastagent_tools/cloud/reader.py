"""Answers of cloud command lines (`aws`, `gcloud`, a monitoring client), judged like the bundle's own records."""

import re

import orjson

from fastagent.state import Finding
from fastagent_tools.cloud.anything import judge_anything
from fastagent_tools.cloud.document import Around, Document, seconds
from fastagent_tools.cloud.readers import READERS
from fastagent_tools.commands.lines import findings_in
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.kubernetes.parse import shape, unwrapped
from fastagent_tools.text.citation import Original, merged

_KNOWN = re.compile(
    r"\"(?:metric_data_results|MetricDataResults|Datapoints|MetricAlarms|TargetHealthDescriptions|SourceIdentifier"
    r"|source_identifier|top_sql|logEvents|monitors|overall_state)\""
)
_COMMAND = re.compile(r"^\s*(?:aws|gcloud|az|datadog|ddog|pup)\s")


def _fits(output: Output) -> bool:
    if not unwrapped(output.text[:200]).startswith(("{", "[")) or shape(output.text):
        return False
    return bool(_COMMAND.match(output.command) or _KNOWN.search(output.text[:200_000]))


def _read(output: Output) -> list[Finding]:
    text = unwrapped(output.text)
    try:
        value = orjson.loads(text[: max(text.rfind("}"), text.rfind("]")) + 1])
    except (ValueError, RecursionError):
        return findings_in(output)
    document = Document(output.command, value, Original(output.text, command=output.command))
    around = Around((document,), begins_s=seconds(output.started_at or ""))
    found = [f for read in READERS for f in read(document, around)] or judge_anything(document, around)
    return merged(found)


CLOUD = Reader("cloud", _fits, _read)
