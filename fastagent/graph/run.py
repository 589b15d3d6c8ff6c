"""What a run has at hand while it lives: clients, clocks, tools. Never checkpointed; each node gets it as context."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fastagent.budget import Allowance, Budget, Deadline, now
from fastagent.event import Event, Noted
from fastagent.ledger import Ledger
from fastagent.model.client import ModelClient
from fastagent.pacing import Pacing
from fastagent.playbook import Playbook
from fastagent.redaction import Redactor
from fastagent.state import Observation
from fastagent.toolbox import Scope, Tool


@dataclass(slots=True)
class Run:
    """The live side of one investigation."""

    budget: Budget
    allowance: Allowance
    client: ModelClient
    tier: str
    tools: Mapping[str, Tool]
    tool_list: Sequence[Mapping[str, Any]]  # what the model sees: constant for the whole run
    playbooks: Sequence[Playbook]
    scope: Scope
    ledger: Ledger
    redactor: Redactor
    pacing: Pacing
    emit: Callable[[Event], None]
    seen: list[Observation] = field(default_factory=list)  # all observations, also those of a node that is cut off
    verifies: bool = True  # claims whose quotes are not found are dropped
    cut_short: bool = False  # a plan or a look that was wanted found no time
    numbered: int = 0  # observations that have begun
    memo: dict[str, str] = field(default_factory=dict)  # tool and arguments -> id of the observation

    def next_number(self, key: str) -> int:
        """The number of the observation that begins now; the same call is not made twice, not even at once."""
        self.numbered = max([self.numbered, *(_number(o) for o in self.seen)]) + 1
        self.memo[key] = f"o{self.numbered}"
        return self.numbered

    def saw(self, observation: Observation) -> None:
        """Keep an observation, in the order in which they were asked for."""
        self.seen.append(observation)
        self.seen.sort(key=_number)

    def keep_reserve(self) -> None:
        """Hold back what the answer will take, as predicted now."""
        self.allowance.reserve_s = self.pacing.reserve_s()

    def scope_until(self, deadline: Deadline) -> Scope:
        """The tools' scope with a deadline of its own."""
        return replace(self.scope, deadline=deadline)

    def note(self, text: str) -> str:
        """Tell the listener, and hand the note back for the state."""
        self.emit(Noted(text))
        return text

    def spent(self) -> dict[str, float]:
        """What is gone of the budget: seconds, turns, tool calls."""
        return {
            "seconds": now() - self.ledger.began_at,
            "turns": self.budget.turns - self.allowance.turns,
            "tool_calls": self.budget.tool_calls - self.allowance.tool_calls,
        }


def _number(observation: Observation) -> int:
    digits = observation.id.removeprefix("o")
    return int(digits) if digits.isdigit() else 0
