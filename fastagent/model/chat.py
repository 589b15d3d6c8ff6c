"""The Chat Completions dialect, for endpoints without Responses. A call is closed by the next one or by the end."""

from collections.abc import Iterator, Sequence
from typing import Any

from fastagent.model.exchange import Ask, Json, Reply, ToolCall

PATH = "/chat/completions"


def body(ask: Ask, model: str) -> Json:
    """The request's body, from the same items and tools as the Responses dialect."""
    return {
        "model": model,
        "messages": messages(ask.items),
        "tools": [_tool(t) for t in ask.tools],
        "tool_choice": _choice(ask),
        "parallel_tool_calls": True,
        "max_completion_tokens": ask.max_output_tokens,
        "service_tier": ask.tier,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def messages(items: Sequence[Json]) -> list[Json]:
    """Responses items as chat messages; neighbouring calls share one assistant message."""
    found: list[Json] = []
    for item in items:
        kind = item.get("type")
        if kind == "message":
            found.append({"role": item["role"], "content": item["content"]})
        elif kind == "function_call_output":
            found.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
        elif kind == "function_call":
            if not (found and found[-1]["role"] == "assistant"):
                found.append({"role": "assistant", "content": None})
            call = {"name": item["name"], "arguments": item["arguments"]}
            found[-1].setdefault("tool_calls", []).append({"id": item["call_id"], "type": "function", "function": call})
    return found


def _tool(tool: Json) -> Json:
    return {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}


def _choice(ask: Ask) -> Json:
    tools = [{"type": "function", "function": {"name": name}} for name in ask.allowed]
    return {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}}


class Reader:
    """Builds a `Reply` from chunks; `feed` yields each call the moment it is known to be closed."""

    def __init__(self) -> None:
        self.reply = Reply()
        self._open: dict[str, Any] | None = None  # index, id, name, arguments so far

    def feed(self, event: Json) -> Iterator[ToolCall]:
        """Take one chunk in."""
        self.reply.tier = str(event.get("service_tier") or self.reply.tier)
        if event.get("time_info"):
            self.reply.timed(event["time_info"])
        self._count(event.get("usage") or {})
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            self.reply.text += delta.get("content") or ""
            for fragment in delta.get("tool_calls") or ():
                yield from self._fragment(fragment)
            if reason := choice.get("finish_reason"):
                self.reply.complete = True
                self.reply.truncated = reason == "length"
                if not self.reply.truncated:
                    yield from self._close()

    def _fragment(self, fragment: Json) -> Iterator[ToolCall]:
        function = fragment.get("function") or {}
        index = fragment.get("index", 0)
        if self._open is not None and self._open["index"] != index:
            yield from self._close()
        if self._open is None:
            self._open = {"index": index, "id": "", "name": "", "arguments": ""}
        self._open["id"] = fragment.get("id") or self._open["id"]
        self._open["name"] = function.get("name") or self._open["name"]
        self._open["arguments"] += function.get("arguments") or ""

    def _close(self) -> Iterator[ToolCall]:
        if self._open is not None:
            call = ToolCall(self._open["id"], self._open["name"], self._open["arguments"] or "{}")
            self._open = None
            self.reply.calls.append(call)
            yield call

    def _count(self, usage: Json) -> None:
        if usage:
            self.reply.input_tokens = int(usage.get("prompt_tokens") or 0)
            self.reply.output_tokens = int(usage.get("completion_tokens") or 0)
            self.reply.cached_tokens = int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
