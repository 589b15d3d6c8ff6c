"""The model client. `openai` keeps authentication, base URL, connections and errors; the bytes are read by `stream`."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import httpx2
import openai

from fastagent.budget import Deadline, now
from fastagent.errors import ModelError, ModelRefused, ModelUnavailable
from fastagent.model import chat, responses
from fastagent.model.exchange import Ask, Endpoint, Reply, ToolCall
from fastagent.model.stream import events

# The raw bytes, through the official client: no model object is built for each token.
_RAW = {"X-Stainless-Raw-Response": "stream"}
_KEEP_ALIVE_S = 60.0  # above tool times, so that a slow tool does not cost a new connection
_RETRYABLE_STATUS = frozenset({408, 409, 429})
_DIALECTS: dict[str, ModuleType] = {"responses": responses, "chat": chat}


class ModelClient:
    """Asks one endpoint. Its retries are not here: see `retry`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._dialect = _DIALECTS[endpoint.dialect]
        self._http = httpx2.AsyncClient(
            transport=endpoint.transport,
            limits=httpx2.Limits(keepalive_expiry=_KEEP_ALIVE_S),
            timeout=httpx2.Timeout(None),  # asyncio deadlines rule; two clocks would only disagree
            trust_env=False,
            follow_redirects=False,
        )
        self._openai = openai.AsyncOpenAI(
            base_url=endpoint.base_url, api_key=endpoint.api_key, max_retries=0, http_client=self._http
        )

    async def ask(self, ask: Ask, deadline: Deadline, on_call: Callable[[ToolCall], None]) -> Reply:
        """One attempt. `on_call` is told of each tool call the moment its arguments are closed.

        Raises `ModelUnavailable` or `ModelRefused`, and `DeadlineExceeded` when the deadline cuts it off.
        """
        async with deadline.enforce("model"):
            try:
                return await self._attempt(ask, on_call)
            except openai.APIStatusError as error:
                raise _status_error(error) from None
            except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
                raise ModelUnavailable(f"{self.endpoint.base_url}: {_words(error)}") from None
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                # Wrong shapes inside valid JSON: the reader met something that is not the dialect.
                raise ModelUnavailable(f"{self.endpoint.base_url} answers garbage: {_words(error)}") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._openai.close()

    async def _attempt(self, ask: Ask, on_call: Callable[[ToolCall], None]) -> Reply:
        began = now()
        reader = self._dialect.Reader()
        response = await self._openai.post(
            self._dialect.PATH,
            cast_to=httpx2.Response,
            body=self._dialect.body(ask, self.endpoint.model),
            options={"headers": _RAW},
        )
        first_at: float | None = None
        try:
            async for event in events(response.aiter_bytes()):
                if first_at is None and _is_token(event):
                    first_at = now()
                for call in reader.feed(event):
                    on_call(call)
        finally:
            await response.aclose()
        return self._finish(reader.reply, began, first_at)

    def _finish(self, reply: Any, began: float, first_at: float | None) -> Reply:
        done: Reply = reply
        if not done.complete:
            raise ModelUnavailable("the stream ended before the answer did")
        done.total_s = now() - began
        done.ttft_s = (first_at - began) if first_at is not None else done.total_s
        return done


def _is_token(event: dict[str, Any]) -> bool:
    """Whether an event carries output (as opposed to announcing it)."""
    if "choices" in event:
        return any(
            (c.get("delta") or {}).get("content") or (c.get("delta") or {}).get("tool_calls") for c in event["choices"]
        )
    return str(event.get("type", "")).endswith(".delta")


def _status_error(error: openai.APIStatusError) -> ModelError:
    text = f"HTTP {error.status_code}: {_words(error)}"
    if error.status_code in _RETRYABLE_STATUS or error.status_code >= 500:
        return ModelUnavailable(text, _retry_after_s(error.response.headers))
    return ModelRefused(text)


def _retry_after_s(headers: Any) -> float | None:
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name])) * unit_s
        except (KeyError, ValueError):
            continue
    return None


def _words(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
