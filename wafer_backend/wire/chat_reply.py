"""POST /v1/chat/completions: writing the answer, as one object or as a stream of chunks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wafer_backend.wire import sse
from wafer_backend.wire.ask import Ask
from wafer_backend.wire.draft import Draft, Part
from wafer_backend.wire.script import EVENTS, Receipt, Script, Unstreamed


@dataclass(frozen=True, slots=True)
class Completion:
    """What the whole object and each chunk have in common."""

    ask: Ask
    draft: Draft
    tier: str  # as served
    created: float  # Unix time

    def envelope(self, kind: str) -> dict[str, Any]:
        """The fields around the choices."""
        return {
            "id": f"chatcmpl-{self.draft.seed}",
            "object": kind,
            "created": int(self.created),
            "model": self.ask.request.model,
            "service_tier": self.tier,
            "system_fingerprint": None,
        }

    def body(self, receipt: Receipt) -> dict[str, Any]:
        """The `chat.completion` object, with usage and `time_info`."""
        choice = {
            "index": 0,
            "message": self._message(),
            "logprobs": None,
            "finish_reason": self.draft.finish,
        }
        tail = {"usage": usage(receipt), "time_info": receipt.time_info()}
        return self.envelope("chat.completion") | {"choices": [choice]} | tail

    def _message(self) -> dict[str, Any]:
        texts = [part.text for part in self.draft.parts if part.call is None]
        calls = [_call(part, part.text) for part in self.draft.parts if part.call]
        message: dict[str, Any] = {
            "role": "assistant",
            "content": texts[0] if texts else None,
            "refusal": None,
            "annotations": [],
        }
        return message | ({"tool_calls": calls} if calls else {})


def usage(receipt: Receipt) -> dict[str, Any]:
    """The `usage` object. What was not cached is written to the cache."""
    written = receipt.prompt_tokens - receipt.cached_tokens
    return {
        "prompt_tokens": receipt.prompt_tokens,
        "completion_tokens": receipt.output_tokens,
        "total_tokens": receipt.prompt_tokens + receipt.output_tokens,
        "prompt_tokens_details": {
            "cached_tokens": receipt.cached_tokens,
            "cache_write_tokens": written,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _call(part: Part, arguments: str) -> dict[str, Any]:
    assert part.call
    function = {"name": part.call.name, "arguments": arguments}
    return {"id": part.call.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class CompletionChunks:
    """The chunks of one streamed answer."""

    completion: Completion
    media_type: str = EVENTS

    def opening(self) -> bytes:
        """Nothing: the first chunk comes with the first token."""
        return b""

    def tokens(self) -> Iterator[bytes]:
        """The role with the first token, then text and arguments as they are decoded."""
        pending = self._chunk({"role": "assistant", "content": self._first_content(), "refusal": None})
        calls = 0
        for part in self.completion.draft.parts:
            if part.call:
                pending += self._chunk({"tool_calls": [{"index": calls, **_call(part, "")}]})
                calls += 1
            for delta in part.deltas(self.completion.ask.delivery.tokens_per_event):
                yield pending + (self._delta(part, calls - 1, delta) if delta else b"")
                pending = b""

    def closing(self, receipt: Receipt) -> bytes:
        """The finish reason, the usage where asked for, and [DONE]. `time_info` rides in the last chunk."""
        finish = self.completion.draft.finish
        times = {"time_info": receipt.time_info()}
        if not self.completion.ask.delivery.usage:
            return self._chunk({}, finish, times) + sse.DONE
        last = self.completion.envelope("chat.completion.chunk") | {"choices": [], "usage": usage(receipt)}
        return self._chunk({}, finish) + sse.data(last | times) + sse.DONE

    def _first_content(self) -> str | None:
        return None if self.completion.draft.parts[0].call else ""

    def _delta(self, part: Part, index: int, delta: str) -> bytes:
        padding = self.completion.ask.delivery.obfuscation
        more = {"obfuscation": sse.obfuscation(delta)} if padding else {}
        if part.call is None:
            return self._chunk({"content": delta}, more=more)
        return self._chunk({"tool_calls": [{"index": index, "function": {"arguments": delta}}]}, more=more)

    def _chunk(self, delta: dict[str, Any], finish: str | None = None, more: dict[str, Any] | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = self.completion.envelope("chat.completion.chunk") | {"choices": [choice]} | (more or {})
        if self.completion.ask.delivery.usage:
            chunk["usage"] = None
        return sse.data(chunk)


def script(ask: Ask, draft: Draft, tier: str, created: float) -> Script:
    """How this answer is sent."""
    completion = Completion(ask, draft, tier, created)
    return CompletionChunks(completion) if ask.delivery.stream else Unstreamed(completion)
