"""The Responses dialect: body out, events in. A call is closed by `response.output_item.done`."""

from collections.abc import Iterator
from typing import Any

from fastagent.errors import ModelUnavailable
from fastagent.model.exchange import Ask, Json, Reply, ToolCall

PATH = "/responses"


def body(ask: Ask, model: str) -> Json:
    """The request's body: stateless, streaming, tools constant, what may be called now in `tool_choice`."""
    return {
        "model": model,
        "input": list(ask.items),
        "tools": list(ask.tools),
        "tool_choice": _choice(ask),
        "parallel_tool_calls": True,
        "max_output_tokens": ask.max_output_tokens,
        "service_tier": ask.tier,
        "store": False,
        "stream": True,
        "stream_options": {"include_obfuscation": False},
    }


def _choice(ask: Ask) -> Json:
    tools = [{"type": "function", "name": name} for name in ask.allowed]
    return {"type": "allowed_tools", "mode": "required", "tools": tools}


class Reader:
    """Builds a `Reply` from events; `feed` yields each call the moment it is closed."""

    def __init__(self) -> None:
        self.reply = Reply()

    def feed(self, event: Json) -> Iterator[ToolCall]:
        """Take one event in. Raises `ModelUnavailable` when the response failed."""
        kind = event.get("type")
        if kind == "response.output_text.delta":
            self.reply.text += str(event.get("delta", ""))
        elif kind == "response.output_item.done":
            yield from self._item(event.get("item") or {})
        elif kind in ("response.completed", "response.incomplete"):
            self._finish(event.get("response") or {})
        elif kind == "response.failed":
            raise ModelUnavailable(f"the response failed: {str((event.get('response') or {}).get('error'))[:200]}")

    def _item(self, item: Json) -> Iterator[ToolCall]:
        if item.get("type") == "function_call":
            call = ToolCall(str(item.get("call_id")), str(item.get("name")), str(item.get("arguments") or "{}"))
            self.reply.calls.append(call)
            yield call

    def _finish(self, response: Json) -> None:
        usage: Any = response.get("usage") or {}
        reply = self.reply
        reply.complete = True
        reply.truncated = response.get("status") == "incomplete"
        reply.tier = str(response.get("service_tier") or "")
        reply.input_tokens = int(usage.get("input_tokens") or 0)
        reply.cached_tokens = int((usage.get("input_tokens_details") or {}).get("cached_tokens") or 0)
        reply.output_tokens = int(usage.get("output_tokens") or 0)
        reply.timed(response.get("time_info"))
