"""POST /v1/responses: writing the answer, as one object or as the API's sequence of events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from wafer_backend.engines import Call
from wafer_backend.wire import sse
from wafer_backend.wire.ask import Ask
from wafer_backend.wire.draft import Draft, Part
from wafer_backend.wire.responses import echo_defaults
from wafer_backend.wire.script import EVENTS, Receipt, Script, Unstreamed

Status = Literal["in_progress", "completed", "incomplete"]


@dataclass(frozen=True, slots=True)
class ResponseObject:
    """The `response` object, from its first appearance to its last."""

    ask: Ask
    draft: Draft
    tier: str  # as served
    created: float  # Unix time

    def begun(self) -> dict[str, Any]:
        """As in `response.created`."""
        return self._fields("in_progress", [], None)

    def body(self, receipt: Receipt) -> dict[str, Any]:
        """Complete, with usage and `time_info`."""
        status: Status = "incomplete" if self.draft.finish == "length" else "completed"
        output = [item(self.draft, index, _status(part)) for index, part in enumerate(self.draft.parts)]
        finished = {"completed_at": int(receipt.created + receipt.total_s)} if status == "completed" else {}
        times = {"time_info": receipt.time_info()}
        return self._fields(status, output, usage(receipt)) | finished | times

    def _fields(self, status: Status, output: list[Any], used: dict[str, Any] | None) -> dict[str, Any]:
        return {
            "id": f"resp_{self.draft.seed}",
            "object": "response",
            "created_at": int(self.created),
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "model": self.ask.request.model,
            "output": output,
            "service_tier": self.tier,
            "usage": used,
            **echo_defaults(),
            **self.ask.echo,
        }


def usage(receipt: Receipt) -> dict[str, Any]:
    """The `usage` object. What was not cached is written to the cache."""
    written = receipt.prompt_tokens - receipt.cached_tokens
    return {
        "input_tokens": receipt.prompt_tokens,
        "input_tokens_details": {"cached_tokens": receipt.cached_tokens, "cache_write_tokens": written},
        "output_tokens": receipt.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": receipt.prompt_tokens + receipt.output_tokens,
    }


def item(draft: Draft, index: int, status: Status) -> dict[str, Any]:
    """An output item; empty while it is in progress."""
    part = draft.parts[index]
    text = "" if status == "in_progress" else part.text
    if part.call:
        return _call_item(part.call, item_id(draft, index), text, status)
    content = [] if status == "in_progress" else [text_part(text)]
    return {
        "id": item_id(draft, index),
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def _call_item(call: Call, identity: str, arguments: str, status: Status) -> dict[str, Any]:
    return {
        "id": identity,
        "type": "function_call",
        "status": status,
        "arguments": arguments,
        "call_id": call.id,
        "name": call.name,
    }


def text_part(text: str) -> dict[str, Any]:
    """A content part."""
    return {"type": "output_text", "annotations": [], "logprobs": [], "text": text}


def item_id(draft: Draft, index: int) -> str:
    """The id of an output item."""
    prefix = "fc" if draft.parts[index].call else "msg"
    return f"{prefix}_{draft.seed[:37]}{index:03d}"


def _status(part: Part) -> Status:
    return "completed" if part.complete else "incomplete"


@dataclass(frozen=True, slots=True)
class ResponseEvents:
    """The event sequence of one streamed answer, each event numbered as it is written."""

    response: ResponseObject
    media_type: str = EVENTS
    _numbers: Iterator[int] = field(default_factory=count)

    def opening(self) -> bytes:
        """`response.created` and `response.in_progress`."""
        begun = {"response": self.response.begun()}
        return self._event("response.created", begun) + self._event("response.in_progress", begun)

    def tokens(self) -> Iterator[bytes]:
        """The items' events; an item is opened with its first token and closed with its last."""
        draft = self.response.draft
        per_event = self.response.ask.delivery.tokens_per_event
        for index, part in enumerate(draft.parts):
            last = len(part.pieces) - 1
            for position, delta in enumerate(part.deltas(per_event)):
                opened = self._opened(index, part) if position == 0 else b""
                sent = self._delta(index, part, delta) if delta else b""
                closed = self._closed(index, part) if position == last else b""
                yield opened + sent + closed

    def closing(self, receipt: Receipt) -> bytes:
        """`response.completed`, or `response.incomplete` where the limit cut the answer."""
        body = self.response.body(receipt)
        return self._event(f"response.{body['status']}", {"response": body})

    def _opened(self, index: int, part: Part) -> bytes:
        added = {"output_index": index, "item": item(self.response.draft, index, "in_progress")}
        opened = self._event("response.output_item.added", added)
        if part.call:
            return opened
        return opened + self._event("response.content_part.added", self._at(index, part) | {"part": text_part("")})

    def _delta(self, index: int, part: Part, delta: str) -> bytes:
        payload = self._at(index, part) | {"delta": delta}
        if not part.call:
            payload["logprobs"] = []
        if self.response.ask.delivery.obfuscation:
            payload["obfuscation"] = sse.obfuscation(delta)
        return self._event(f"response.{_kind(part)}.delta", payload)

    def _closed(self, index: int, part: Part) -> bytes:
        done = {"output_index": index, "item": item(self.response.draft, index, _status(part))}
        return self._said(index, part) + self._event("response.output_item.done", done)

    def _said(self, index: int, part: Part) -> bytes:
        at = self._at(index, part)
        if part.call:
            # Arguments that the limit cut are not done: a client that acts on "done" must not act on these.
            payload = at | {"name": part.call.name, "arguments": part.text}
            return self._event("response.function_call_arguments.done", payload) if part.complete else b""
        text = self._event("response.output_text.done", at | {"text": part.text, "logprobs": []})
        return text + self._event("response.content_part.done", at | {"part": text_part(part.text)})

    def _at(self, index: int, part: Part) -> dict[str, Any]:
        at: dict[str, Any] = {"item_id": item_id(self.response.draft, index), "output_index": index}
        return at if part.call else at | {"content_index": 0}

    def _event(self, kind: str, payload: Mapping[str, Any]) -> bytes:
        return sse.event(kind, {"type": kind, "sequence_number": next(self._numbers), **payload})


def _kind(part: Part) -> str:
    return "function_call_arguments" if part.call else "output_text"


def script(ask: Ask, draft: Draft, tier: str, created: float) -> Script:
    """How this answer is sent."""
    response = ResponseObject(ask, draft, tier, created)
    return ResponseEvents(response) if ask.delivery.stream else Unstreamed(response)
