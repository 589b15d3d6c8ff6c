"""What the tokens say. An engine reads one request and words one answer; how fast it streams is none of its business.

The types here are the wire's common ground: Chat Completions and Responses both become a `Request`, and both
are written from an `Answer`. An engine is deterministic: the same request gives the same answer on every tier.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]  # "developer" is read as "system"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: `arguments` is JSON text, as on the wire. `id` is set by the wire, not by engines."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation. A tool's result has role "tool" and the `call_id` it answers."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A function the client offers; `parameters` is its JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """`tool_choice`, resolved: a named tool is "required" with one allowed name; no `allowed` means all tools."""

    mode: Literal["auto", "none", "required"] = "auto"
    allowed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """All an engine may know: what the client sent, nothing else."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    choice: Choice = Choice()
    parallel: bool = True
    schema: Mapping[str, Any] | None = None  # JSON Schema the text must satisfy
    max_tokens: int | None = None

    def callable_tools(self) -> tuple[ToolSpec, ...]:
        """The tools that `choice` lets the answer call."""
        if self.choice.mode == "none":
            return ()
        allowed = self.choice.allowed
        return tuple(t for t in self.tools if allowed is None or t.name in allowed)


@dataclass(frozen=True, slots=True)
class Answer:
    """Text, tool calls, or both; text comes first on the wire."""

    text: str = ""
    calls: tuple[Call, ...] = ()


class Engine(Protocol):
    """Anything with a name and an answer. Named on the command line by alias or `package.module:Class`."""

    name: str

    def answer(self, request: Request) -> Answer:
        """Word the answer. Must call only `request.callable_tools()`, with arguments that fit their schemas."""
        ...
