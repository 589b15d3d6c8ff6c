"""The report as JSON: schema "fastagent.report/1", the contract that scorers and other programs read."""

import orjson

from fastagent.state import Report, as_json


def render(report: Report) -> str:
    """Indented JSON, the schema first, a newline at the end."""
    value = as_json(report)
    ordered = {"schema": value.pop("schema"), **value}
    return orjson.dumps(ordered, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
