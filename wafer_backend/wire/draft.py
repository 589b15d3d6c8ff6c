"""An engine's answer, checked against what was asked and cut into tokens: what both protocols are written from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from wafer_backend.engines import Answer, Call, Request, ToolSpec
from wafer_backend.tokens import encode, pieces
from wafer_backend.wire import errors
from wafer_backend.wire.ask import Ask
from wafer_backend.wire.schemas import violation

Finish = Literal["stop", "tool_calls", "length"]


@dataclass(frozen=True, slots=True)
class Part:
    """One output item, a text or a call. `pieces` has one string a token; a call's first tokens spell its name."""

    pieces: tuple[str, ...]
    call: Call | None = None
    complete: bool = True

    @property
    def text(self) -> str:
        """What the pieces spell: the text, or the call's arguments as far as they were written."""
        return "".join(self.pieces)

    def deltas(self, per_event: int) -> Iterator[str]:
        """The text to send with each token; with several tokens an event, the last of them carries it all."""
        for start in range(0, len(self.pieces), per_event):
            group = self.pieces[start : start + per_event]
            yield from ("",) * (len(group) - 1)
            yield "".join(group)


@dataclass(frozen=True, slots=True)
class Draft:
    """All that will be said; when is the driver's matter. There is at least one token, be it an empty one."""

    seed: str  # hex digits for ids
    parts: tuple[Part, ...]
    finish: Finish

    @property
    def tokens(self) -> int:
        """How many tokens are decoded."""
        return sum(len(part.pieces) for part in self.parts)


def write_draft(ask: Ask, answer: Answer) -> Draft:
    """Check `answer`, give its calls their ids, and cut it at the client's limit. Raises on an engine's fault."""
    request, seed = ask.request, ask.seed()
    check_answer(answer, request)
    calls = tuple(replace(call, id=call_id(seed, index)) for index, call in enumerate(answer.calls))
    whole = tuple(_parts(Answer(answer.text, calls)))
    cut = tuple(_cut(whole, request.max_tokens))
    finish: Finish = "tool_calls" if calls else "stop"
    return Draft(seed, cut, finish if cut == whole else "length")


def call_id(seed: str, index: int) -> str:
    """The id of an answer's nth call."""
    return f"call_{seed[:21]}{index:03d}"


def _parts(answer: Answer) -> Iterator[Part]:
    if answer.text or not answer.calls:
        yield Part(pieces(answer.text) or ("",))
    for call in answer.calls:
        name = ("",) * len(encode(call.name))
        yield Part(name + pieces(call.arguments), call)


def _cut(parts: tuple[Part, ...], limit: int | None) -> Iterator[Part]:
    """Keep `limit` tokens. A part that is not reached is not begun."""
    left = limit
    for part in parts:
        if left is None or len(part.pieces) <= left:
            yield part
        elif left > 0:
            yield replace(part, pieces=part.pieces[:left], complete=False)
        left = None if left is None else max(0, left - len(part.pieces))


def check_answer(answer: Answer, request: Request) -> None:
    """Raise a server error where the answer breaks the engine's contract."""
    _check_calls(answer, request)
    if answer.text and request.schema is not None:
        _fit("the text", request.schema, answer.text)


def _check_calls(answer: Answer, request: Request) -> None:
    callable_tools = {tool.name: tool for tool in request.callable_tools()}
    if request.choice.mode == "required" and not answer.calls:
        raise errors.engine_fault("a tool call was required and none was made")
    if not request.parallel and len(answer.calls) > 1:
        raise errors.engine_fault("several calls where parallel_tool_calls is false")
    for call in answer.calls:
        _check_call(call, callable_tools.get(call.name))


def _check_call(call: Call, tool: ToolSpec | None) -> None:
    if tool is None:
        raise errors.engine_fault(f"'{call.name}' is no tool that may be called")
    if tool.strict:
        _fit(f"a call of '{call.name}'", tool.parameters, call.arguments)


def _fit(what: str, schema: Mapping[str, Any], text: str) -> None:
    reason = violation(schema, text)
    if reason is not None:
        raise errors.engine_fault(f"{what} does not fit its schema: {reason}")
