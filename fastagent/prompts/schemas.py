"""The JSON Schemas of what the model submits: strict (every property required, nothing extra), so that a
provider can enforce them while it decodes. Optional values are nullable.
"""

from functools import cache
from typing import Any

import jsonschema_rs

from fastagent.state import CATEGORIES

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_MAYBE: Schema = {"type": ["string", "null"]}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def _object(description: str = "", **properties: Schema) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {**schema, "description": description} if description else schema


def _list(items: Schema, description: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def _say(description: str, base: Schema = _TEXT) -> Schema:
    return {**base, "description": description}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


PLAN = _object(
    hypotheses=_list(
        _object(
            id=_say("short and stable, e.g. h1"),
            statement=_say("one sentence: what failed, and how that causes the symptom"),
            playbook=_say("id of the playbook it comes from, or null", _MAYBE),
            belief=_say("prior probability", _SHARE),
        ),
        "at most five, mutually exclusive where possible",
    ),
    checks=_list(_object(tool=_TEXT, why=_say("which hypotheses the result would separate")), "what to look at first"),
)

ASSESSMENT = _object(
    evidence=_list(
        _object(
            claim=_say("what the quote shows, one sentence"),
            quote=_say("verbatim from a tool's output, one line, no ellipsis"),
            observation=_say("id of the observation that holds the quote, e.g. o2"),
            supports=_list(_TEXT, "ids of hypotheses"),
            contradicts=_list(_TEXT, "ids of hypotheses"),
        ),
        "only new evidence; nothing without a quote",
    ),
    hypotheses=_list(
        _object(id=_TEXT, statement=_TEXT, playbook=_MAYBE, belief=_SHARE),
        "all of them, weighed anew; add or reword freely",
    ),
    next=_one_of("continue", "conclude"),
    reason=_say("why more checks would, or would not, change the answer"),
)

DIAGNOSIS = _object(
    fault_found=_say("false only where the evidence shows that nothing is wrong", {"type": "boolean"}),
    component=_say("the one entity to blame, named as the evidence names it; empty if unknown"),
    category=_say(f"the answer space's word if one is given, else one of: {', '.join(CATEGORIES)}"),
    label=_say("id of the playbook that explains it, or null", _MAYBE),
    statement=_say("root cause and mechanism, at most 60 words and 400 characters"),
    confidence=_SHARE,
    ranking=_list(_object(component=_TEXT, score=_SHARE), "every candidate that was weighed, best first"),
    causal_chain=_list(_TEXT, "from cause to symptom, in order of time"),
    ruled_out=_list(_TEXT, "what was considered and why it is not the cause"),
    gaps=_list(
        _object(source=_TEXT, reason=_one_of("absent", "forbidden", "timeout", "too_large", "unreadable")),
        "what could not be looked at",
    ),
    change=_say(
        "the change to blame, or null; commit is 'none' where changes were looked at and none explains it",
        {"anyOf": [_object(kind=_one_of("commit", "deploy", "flag"), commit=_TEXT, why=_TEXT), {"type": "null"}]},
    ),
    remediation=_list(
        _object(
            action=_TEXT,
            command=_MAYBE,
            risk=_one_of("low", "medium", "high"),
            rollback=_TEXT,
            verify=_TEXT,
            playbook=_MAYBE,
        )
    ),
)

SUBMISSIONS: dict[str, tuple[str, Schema]] = {
    "submit_plan": ("State competing hypotheses and what to look at first.", PLAN),
    "submit_assessment": ("Report evidence with verbatim quotes and weigh the hypotheses anew.", ASSESSMENT),
    "submit_diagnosis": ("Give the final diagnosis.", DIAGNOSIS),
}


def submission_tools() -> list[Schema]:
    """The submissions as strict Responses tools."""
    return [
        {"type": "function", "name": name, "description": description, "parameters": schema, "strict": True}
        for name, (description, schema) in SUBMISSIONS.items()
    ]


@cache
def _validator(name: str) -> Any:
    return jsonschema_rs.validator_for(SUBMISSIONS[name][1])


def problem(name: str, value: Any) -> str | None:
    """What is wrong with a submission, in one line, or nothing."""
    error = next(iter(_validator(name).iter_errors(value)), None)
    if error is None:
        return None
    where = "/".join(map(str, error.instance_path))
    return f"{name}: {where + ': ' if where else ''}{error.message}"[:300]
