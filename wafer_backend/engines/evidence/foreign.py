"""Conversations that are not ours: another framework's prompts still get schema-valid, sensible answers."""

import json

from wafer_backend.engines import Answer, Call, Request
from wafer_backend.engines.schema_fill import fill


def answer(request: Request) -> Answer:
    """A schema is filled, a required tool is called; with tools and no result yet one is tried; else plain text."""
    tools = request.callable_tools()
    asked_before = any(m.role == "tool" for m in request.messages)
    if tools and (request.choice.mode == "required" or not asked_before):
        return Answer(calls=(Call(tools[0].name, json.dumps(fill(tools[0].parameters))),))
    if request.schema is not None:
        return Answer(json.dumps(fill(request.schema)))
    results = [m.text for m in request.messages if m.role == "tool"]
    said = f"The tools returned: {results[-1][:500]}" if results else "I have no evidence to answer from."
    return Answer(said)
