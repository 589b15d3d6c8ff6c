"""The emulator as one function from a request to a reply, whatever carries it: a socket or a call in the process.

A reply's chunks come when the driver says that their tokens are due. Closing the chunks frees the slot at once.
"""

import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice
from typing import Any, Protocol, Self

import orjson

from wafer_backend.driver import Driver, Generation, Job
from wafer_backend.engines import Engine
from wafer_backend.tiers import Tiers, UnknownTier
from wafer_backend.wire import chat, chat_reply, errors, models, responses, responses_reply
from wafer_backend.wire.ask import Ask
from wafer_backend.wire.draft import Draft, write_draft
from wafer_backend.wire.errors import WireError
from wafer_backend.wire.fields import Fields
from wafer_backend.wire.prompt import prompt_ids
from wafer_backend.wire.script import JSON, Receipt, Script

MODEL = "gpt-5.6-sol"
BODY_BYTES = 32 * 2**20  # the largest request body
TOKENS_PER_EVENT = "x-wafer-tokens-per-event"
DIGITS = re.compile(r"[1-9][0-9]{0,5}")

log = logging.getLogger("wafer_backend")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint's two halves: reading a request, and how its answer is sent."""

    parse: Callable[[Fields, int], Ask]
    script: Callable[[Ask, Draft, str, float], Script]


ENDPOINTS: Mapping[str, Endpoint] = {
    "/v1/responses": Endpoint(responses.parse, responses_reply.script),
    "/v1/chat/completions": Endpoint(chat.parse, chat_reply.script),
}


class Chunks(Protocol):
    """Bytes as they come due. Whoever stops reading before the end must close them."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def __anext__(self) -> bytes: ...

    async def aclose(self) -> None:
        """Give up on the rest."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    chunks: Chunks


class Paced:
    """The bytes of one answer. Closing it, a fault, or cancelling its reader frees the slot at once.

    Unlike a bare generator it does so even before the first chunk was asked for.
    """

    def __init__(self, generation: Generation, script: Script, receipt: Callable[[], Receipt]) -> None:
        self._generation, self._script, self._receipt = generation, script, receipt
        self._closed = self._reading = False
        self._steps = self._run()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._reading = True
        try:
            return await anext(self._steps)
        except BaseException:
            self._generation.cancel()
            raise
        finally:
            self._reading = False

    async def aclose(self) -> None:
        """Stop decoding; a reader who waits in another task sees the end."""
        self._closed = True
        self._generation.cancel()
        if not self._reading:
            await self._steps.aclose()

    async def _run(self) -> AsyncGenerator[bytes]:
        if opening := self._script.opening():
            yield opening
        tokens = self._script.tokens()
        async for due in self._generation:
            if sent := b"".join(islice(tokens, due)):
                yield sent
        if not self._closed:
            yield self._script.closing(self._receipt())


@dataclass(frozen=True, slots=True)
class App:
    """An engine for the words, a driver for the times, and OpenAI's protocol around them."""

    engine: Engine
    tiers: Tiers
    driver: Driver
    model: str = MODEL
    tokens_per_event: int = 1  # unless the request's header says otherwise
    clock: Callable[[], float] = time.time  # Unix time, for `created`
    _serial: "count[int]" = field(default_factory=lambda: count(1))

    async def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Answer one request; header names are in lower case. Every refusal is an OpenAI error body."""
        try:
            reply = self._route(method, path, headers, body)
        except WireError as error:
            reply = _reply(error.status, error.body())
        identified = {**reply.headers, "x-request-id": f"req_{next(self._serial):08d}"}
        return Reply(reply.status, identified, reply.chunks)

    def _route(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        if endpoint := ENDPOINTS.get(path):
            _allow(method, "POST")
            return self._generate(endpoint, headers, body)
        page = self._page(path)
        if page is None:
            raise WireError(404, f"Invalid URL ({method} {path})", code="unknown_url")
        _allow(method, "GET")
        return _reply(200, orjson.dumps(page()))

    def _page(self, path: str) -> Callable[[], dict[str, Any]] | None:
        if path == "/healthz":
            return lambda: {"status": "ok"}
        if path == "/v1/models":
            return partial(models.listing, (self.model,))
        if path.startswith("/v1/models/"):
            return partial(models.one, path.removeprefix("/v1/models/"), (self.model,))
        return None

    def _generate(self, endpoint: Endpoint, headers: Mapping[str, str], body: bytes) -> Reply:
        ask = endpoint.parse(_parse_body(body), _tokens_per_event(headers, self.tokens_per_event))
        if ask.request.model != self.model:
            raise errors.model_not_found(ask.request.model)
        tier = self._tier(ask)
        draft = self._draft(ask)
        job = Job(prompt_ids(ask.request), draft.tokens, tier)
        created = self.clock()
        script = endpoint.script(ask, draft, tier, created)
        generation = self.driver.submit(job)
        receipt = partial(self._receipt, job, generation, created)
        headers = {"content-type": script.media_type, "cache-control": "no-cache"}
        return Reply(200, headers, Paced(generation, script, receipt))

    def _tier(self, ask: Ask) -> str:
        try:
            return self.tiers.resolve(ask.delivery.tier or "auto").name
        except UnknownTier as error:
            raise errors.invalid(str(error), "service_tier", "invalid_value") from None

    def _draft(self, ask: Ask) -> Draft:
        try:
            return write_draft(ask, self.engine.answer(ask.request))
        except WireError:
            raise
        except Exception as error:  # an engine may be anybody's; the client gets an answer, the log the traceback
            log.exception("engine %s failed", self.engine.name)
            raise errors.engine_fault(f"{type(error).__name__}: {error}") from error

    def _receipt(self, job: Job, generation: Generation, created: float) -> Receipt:
        timing = generation.timing
        return Receipt(
            prompt_tokens=len(job.prompt),
            cached_tokens=timing.cached_tokens,
            output_tokens=job.output_tokens,
            created=created,
            queue_s=timing.queue_s,
            prefill_s=timing.prefill_s,
            decode_s=timing.decode_s,
            lag_s=timing.lag_s,
            tiers=self.driver.quote(job, timing.cached_tokens),
        )


async def _once(body: bytes) -> AsyncGenerator[bytes]:
    yield body


def _reply(status: int, body: bytes) -> Reply:
    return Reply(status, {"content-type": JSON, "content-length": str(len(body))}, _once(body))


def _allow(method: str, only: str) -> None:
    if method != only:
        message = f"Not allowed to {method} here: use {only}."
        raise WireError(405, message, code="method_not_allowed")


def _parse_body(body: bytes) -> Fields:
    if len(body) > BODY_BYTES:
        raise WireError(413, f"The request body is larger than {BODY_BYTES} bytes.", code="request_too_large")
    try:
        values = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        message = f"We could not parse the JSON body of your request: {error}."
        raise errors.invalid(message, None) from None
    _check_depth(values)
    if not isinstance(values, dict):
        raise errors.invalid("The body of your request must be a JSON object.", None)
    return Fields(values)


def _check_depth(values: Any) -> None:
    """Refuse what could be parsed but not be repeated in a reply, which nests it a few levels deeper."""
    try:
        orjson.dumps([[[[values]]]])
    except orjson.JSONEncodeError:
        raise errors.invalid("The JSON body of your request is nested too deeply.", None) from None


def _tokens_per_event(headers: Mapping[str, str], default: int) -> int:
    value = headers.get(TOKENS_PER_EVENT)
    if value is None:
        return default
    if not DIGITS.fullmatch(value):
        message = f"Invalid header '{TOKENS_PER_EVENT}': expected a whole number from 1 to 999999."
        raise errors.invalid(message, TOKENS_PER_EVENT)
    return int(value)
