"""Conversations as the agent would have them, built by hand: what the evidence engine is asked."""

import json
from collections.abc import Sequence
from typing import Any

from wafer_backend.engines import Call, Choice, Message, Request, ToolSpec

PLAYBOOK = {
    "id": "pool-exhausted",
    "title": "The pool is exhausted",
    "category": "resource_exhaustion",
    "explains": "One client keeps every connection of the pool.",
    "signals": [
        {
            "id": "refused",
            "says": "clients are refused",
            "weight": 0.6,
            "kinds": ["log.*"],
            "pattern": "no more connections",
        },
        {"id": "holder", "says": "one client holds most", "weight": 0.6, "kinds": ["pool.holder"], "pattern": ""},
        {
            "id": "room",
            "says": "the pool has room",
            "weight": 0.9,
            "kinds": ["pool.room"],
            "pattern": "",
            "against": True,
        },
    ],
    "checks": [{"tool": "read_command", "why": "who holds them", "args": {}, "pick": "pool status"}],
    "component": {"kinds": ["pool.holder"], "says": "the holder"},
    "remediation": [
        {"action": "restart <component>", "risk": "low", "rollback": "none", "verify": "free slots", "command": None}
    ],
    "look_alikes": [],
}
REFUSED = {
    "id": "o1.f1", "kind": "log.error.new", "statement": "web: no more connections", "severity": "error",
    "entity": "web", "time": "2026-01-01T10:05:00Z", "quote": "ERROR no more connections", "score": 0.7, "reason": "new",
}  # fmt: skip
HOLDER = {
    "id": "o3.f1", "kind": "pool.holder", "statement": "batch holds 19 of 20", "severity": "error", "entity": "batch",
    "quote": "batch | 19", "score": 0.9, "reason": "most of the pool",
}  # fmt: skip
LISTING = {"tool": "list_files", "examined": 2, "summary": "", "text": "command: pool status\ncommand: uptime"}


def observation(*findings: Any, tool: str = "log_overview", examined: int = 50, **more: Any) -> dict[str, Any]:
    return {"tool": tool, "examined": examined, "summary": "", "findings": list(findings), **more}


def request(
    allowed: Sequence[str],
    *,
    opening: Sequence[Any] = (),
    results: Sequence[tuple[str, dict[str, Any], Any]] = (),
    playbooks: Sequence[Any] = (PLAYBOOK,),
    incident: Any = None,
) -> Request:
    """The request of one turn: an opening, tool calls with their results, and what may be called now."""
    first = {
        "incident": incident or {"title": "web fails"},
        "observations": list(opening),
        "playbooks": list(playbooks),
    }
    messages = [Message("system", "find it"), Message("user", f"Here: <data>{json.dumps(first)}</data>")]
    for number, (name, arguments, result) in enumerate(results):
        messages.append(Message("assistant", "", (Call(name, json.dumps(arguments), f"c{number}"),)))
        messages.append(Message("tool", json.dumps(result), call_id=f"c{number}"))
    required = {"command": {"type": "string"}}
    tools = (
        ToolSpec("log_overview", "", {"type": "object", "properties": {}, "required": []}),
        ToolSpec("read_command", "", {"type": "object", "properties": required, "required": ["command"]}),
        *(
            ToolSpec(n, "", {"type": "object"}, strict=True)
            for n in ("submit_plan", "submit_assessment", "submit_diagnosis")
        ),
    )
    return Request("m", tuple(messages), tools, Choice("required", tuple(allowed)))
