"""Is everything there that an investigation needs? The endpoint asked once, sources looked for, credentials tried.

Nothing is changed anywhere: questions to the endpoint, `kubectl auth can-i` and one `SHOW` of PostgreSQL.
"""

import asyncio
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fastagent.budget import Deadline, now
from fastagent.errors import DeadlineExceeded, ModelError
from fastagent.model.client import ModelClient
from fastagent.model.exchange import Ask, Endpoint, Reply, ToolCall

Mark = Literal["ok", "warn", "fail", "none"]
ASK_S, RUN_S = 20.0, 10.0
READY = {
    "type": "function",
    "name": "ready",
    "description": "Say that you are ready. Call this once.",
    "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    "strict": False,
}
PROGRAMS = ("kubectl", "journalctl", "systemctl", "dmesg", "docker", "psql", "redis-cli", "openssl", "ss", "top")
FORBIDDEN = (
    ("create", "pods"),
    ("delete", "pods"),
    ("patch", "deployments"),
    ("get", "secrets"),
    ("create", "pods/exec"),
)
ROLES = "examples/roles has read-only ones"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what it is called, how it stands, and what to do about it."""

    mark: Mark
    name: str
    says: str


async def endpoint_checks(endpoint: Endpoint, tier: str) -> list[Check]:
    """Whether the endpoint answers with a tool call, on which tier, and how fast."""
    client = ModelClient(endpoint)
    ask = Ask(
        items=[{"role": "user", "content": "Call the tool `ready` with any word."}],
        tools=[READY],
        allowed=["ready"],
        tier=tier,
        max_output_tokens=256,
    )
    called: list[ToolCall] = []
    try:
        reply = await client.ask(ask, Deadline(now() + ASK_S), called.append)
    except DeadlineExceeded:
        return [
            Check("fail", "endpoint", f"{endpoint.answered_by} did not answer in {ASK_S:.0f} s: is the address right?")
        ]
    except ModelError as error:
        return [Check("fail", "endpoint", f"{endpoint.answered_by}: {error} (is it running, and --base-url right?)")]
    finally:
        await client.close()
    return [
        Check("ok", "endpoint", f"{endpoint.answered_by} answers"),
        _tools(called),
        _tier(tier, reply),
        _speed(reply),
    ]


def _tools(called: Sequence[ToolCall]) -> Check:
    if any(call.name == "ready" for call in called):
        return Check("ok", "tool calls", "a tool that was asked for was called")
    return Check("fail", "tool calls", "no tool was called: the loop needs a model that calls tools (try --api chat)")


def _tier(asked: str, reply: Reply) -> Check:
    served = reply.tier or "not said"
    if served == asked:
        return Check("ok", "tier", f"{asked} asked, {served} served")
    return Check("warn", "tier", f"{asked} asked, {served} served: deadlines are paced by what is measured")


def _speed(reply: Reply) -> Check:
    decode_s = reply.total_s - reply.ttft_s
    rate = f", {reply.output_tokens / decode_s:,.0f} tokens/s" if decode_s > 0 and reply.output_tokens else ""
    return Check("ok", "speed", f"TTFT {reply.ttft_s * 1000:.0f} ms{rate}")


async def source_checks() -> list[Check]:
    """Which programs an investigation could ask here, and whether their credentials can do more than read."""
    here = [p for p in PROGRAMS if shutil.which(p)]
    absent = [p for p in PROGRAMS if p not in here]
    checks = [Check("ok" if here else "warn", "programs", f"here: {', '.join(here) or 'none'}; --live can ask these")]
    if absent:
        checks.append(Check("none", "programs", f"not here: {', '.join(absent)}"))
    if "kubectl" in here:
        checks.append(await _cluster())
    if "psql" in here and any(name in os.environ for name in ("PGHOST", "PGSERVICE", "PGDATABASE")):
        checks.append(await _postgres())
    return checks


async def _cluster() -> Check:
    status, said = await _run("kubectl", "auth", "can-i", "get", "pods", "--all-namespaces")
    if said.strip().lower() not in ("yes", "no"):
        return Check("none", "cluster", f"kubectl reaches none: {_last_line(said) or f'exit status {status}'}")
    can_read = said.strip().lower() == "yes"
    powers = [f"{verb} {what}" for verb, what in FORBIDDEN if await _can(verb, what)]
    if powers:
        return Check("warn", "cluster", f"these credentials may {', '.join(powers)}: {ROLES}")
    if not can_read:
        return Check("warn", "cluster", f"these credentials may not list pods of all namespaces: {ROLES}")
    return Check("ok", "cluster", "the credentials read and do not write")


async def _can(verb: str, what: str) -> bool:
    return (await _run("kubectl", "auth", "can-i", verb, what, "--all-namespaces"))[1].strip().lower() == "yes"


async def _postgres() -> Check:
    status, said = await _run("psql", "-X", "-At", "-c", "show default_transaction_read_only")
    if status:
        return Check("none", "postgres", f"psql reaches none: {_last_line(said)}")
    if said.strip() == "on":
        return Check("ok", "postgres", "transactions are read-only")
    return Check("warn", "postgres", f"this role may write: {ROLES}")


async def _run(*words: str) -> tuple[int, str]:
    """Exit status and all output; a program that hangs is ended, and says so."""
    pipe: Any = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    try:
        async with asyncio.timeout(RUN_S):
            out, problems = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return 1, f"no answer in {RUN_S:.0f} s"
    return process.returncode or 0, (out or problems).decode("utf-8", "replace")


def _last_line(text: str) -> str:
    """What a program says at last, which is the summary of what it tried."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")[:160]
