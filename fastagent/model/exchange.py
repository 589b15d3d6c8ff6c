"""The plain data that goes to a model and comes back, whatever the dialect of the wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
DialectName = Literal["responses", "chat"]
MOST_S = 1e6  # no server takes that long: what is larger is no time


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who answers. `transport` is an httpx2 transport for an in-process back end; None = the network."""

    base_url: str
    model: str
    answered_by: str  # "emulator:evidence" or "host/model"
    api_key: str = field(default="none", repr=False)
    dialect: DialectName = "responses"
    transport: Any = None
    tokens_per_s: float | None = None  # a first guess for the pacing; measured from the first turn on


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call whose arguments are complete; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. `items` are Responses input items; `allowed` restricts which tools may be called now."""

    items: Sequence[Json]
    tools: Sequence[Json]
    allowed: Sequence[str]
    tier: str
    max_output_tokens: int


@dataclass(slots=True)
class Reply:
    """What came back. Times are seconds on the loop's clock, relative to when the request was sent."""

    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    tier: str = ""  # as served
    complete: bool = False
    truncated: bool = False  # the model ran into max_output_tokens
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    time_info: Mapping[str, float] = field(default_factory=dict)  # queue_time, prompt_time … in seconds
    tiers_s: Mapping[str, float] = field(default_factory=dict)  # what the same answer takes on each tier, seconds
    ttft_s: float = 0.0
    total_s: float = 0.0

    def timed(self, value: Any) -> None:
        """Take the server's own times, as far as they are numbers."""
        told = value if isinstance(value, dict) else {}
        tiers = told.get("tiers")
        self.time_info = {k: float(v) for k, v in told.items() if _is_time(v)}
        self.tiers_s = {str(k): float(v) for k, v in tiers.items() if _is_time(v)} if isinstance(tiers, dict) else {}

    def items(self) -> list[Json]:
        """The reply as items to append to the conversation."""
        spoken = [{"type": "message", "role": "assistant", "content": self.text}] if self.text else []
        return spoken + [
            {"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments} for c in self.calls
        ]


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST_S
