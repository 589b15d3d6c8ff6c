"""A server played in-process: an httpx2 transport that answers each request from a script, and the tools it may call."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import httpx2

from fastagent import Observation, Tool, tool
from fastagent.model.exchange import Endpoint
from fastagent.state import Finding, Source

QUOTE = "ERROR the disk of db-1 is full"
Reply = Callable[[dict[str, Any]], "httpx2.Response"]


class Bytes(httpx2.AsyncByteStream):
    """A body that arrives in pieces; a number among them is a pause in seconds, an exception is raised."""

    def __init__(self, pieces: Sequence[bytes | float | Exception]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            else:
                yield piece


class Server(httpx2.AsyncBaseTransport):
    """Answers the n-th request by the n-th reply, the last one for ever. `bodies` holds what was sent."""

    def __init__(self, *replies: Any) -> None:
        self.replies, self.bodies = replies, list[dict[str, Any]]()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(await request.aread())
        reply = self.replies[min(len(self.bodies), len(self.replies) - 1)]
        self.bodies.append(body)
        result = reply(body) if callable(reply) else reply
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, httpx2.Response)
        return result

    def endpoint(self, tokens_per_s: float = 10_000.0) -> Endpoint:
        return Endpoint("http://scripted.invalid/v1", "m", "scripted", transport=self, tokens_per_s=tokens_per_s)


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def spoken(*calls: tuple[str, Any], tokens: int = 20) -> list[bytes | float | Exception]:
    """The stream of a response that makes these calls (name, arguments: a value or raw text)."""
    pieces: list[bytes | float | Exception] = [event("response.created", response={})]
    for number, (name, arguments) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        item = {"type": "function_call", "call_id": f"call-{number}", "name": name, "arguments": text}
        pieces += [
            event("response.function_call_arguments.delta", delta=text),
            event("response.output_item.done", item=item),
        ]
    usage = {"input_tokens": 100, "output_tokens": tokens}
    pieces.append(
        event("response.completed", response={"status": "completed", "service_tier": "default", "usage": usage})
    )
    return pieces


def response(pieces: Sequence[bytes | float | Exception]) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Bytes(pieces))


def says(*calls: tuple[str, Any], **more: Any) -> Reply:
    return lambda _: response(spoken(*calls, **more))


def allowed(body: dict[str, Any]) -> list[str]:
    """What this turn may call."""
    return [t["name"] for t in body["tool_choice"]["tools"]]


PLAN = {"hypotheses": [{"id": "h1", "statement": "disk full", "playbook": None, "belief": 0.4}], "checks": []}
CLAIM = {"claim": "the disk is full", "quote": QUOTE, "observation": "o1", "supports": ["h1"], "contradicts": []}


def assessment(*evidence: Any, then: str = "conclude", belief: float = 0.9) -> dict[str, Any]:
    hypotheses = [{**PLAN["hypotheses"][0], "belief": belief}]
    return {"evidence": list(evidence), "hypotheses": hypotheses, "next": then, "reason": "r"}


def diagnosis(component: str = "db-1", **more: Any) -> dict[str, Any]:
    return {
        "fault_found": True, "component": component, "category": "resource_exhaustion", "label": None,
        "statement": f"{component} has a full disk.", "confidence": 0.9,
        "ranking": [{"component": component, "score": 0.9}], "causal_chain": [], "ruled_out": [], "gaps": [],
        "change": None, "remediation": [], **more,
    }  # fmt: skip


def sensible(body: dict[str, Any]) -> httpx2.Response:
    """A well-behaved model: plan, look, assess, verify, diagnose."""
    names = allowed(body)
    if names == ["submit_plan"]:
        return response(spoken(("submit_plan", PLAN)))
    if names == ["submit_assessment"]:
        return response(spoken(("submit_assessment", assessment(CLAIM))))
    if names == ["submit_diagnosis"]:
        return response(spoken(("submit_diagnosis", diagnosis())))
    return response(spoken(("read_disk", {})))


@tool(expect_s=0.01)
async def read_disk() -> Observation:
    """How full the disk is."""
    finding = Finding(
        "disk.full", "db-1: the disk is full", "critical", "db-1", quote=QUOTE, score=0.9, source=Source("df.txt", 3)
    )
    return Observation("the disk is full", (finding,), examined=10)


@tool(expect_s=0.01, opening={})
async def look_around() -> Observation:
    """What there is."""
    finding = Finding("log.error", QUOTE, "error", "db-1", quote=QUOTE, score=0.6, source=Source("app.log", 7))
    return Observation("one error", (finding,), examined=100)


TOOLS: list[Tool] = [read_disk, look_around]
