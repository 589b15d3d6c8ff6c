"""The SLA controller: predicts what the next turn costs and chooses between a full cycle, a fused turn and the answer.

Everything is predicted from two measured rates (time to first token, tokens per second) and from how many tokens a
node usually writes. Guesses stand in until the first turn has been measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fastagent.budget import Allowance
from fastagent.ledger import Turn

Decision = Literal["cycle", "fused", "verify", "conclude", "stop"]

# Output tokens a node writes: first guesses, from the recorded examples of this repository; each is replaced by what
# is measured in the run.
TYPICAL_TOKENS: Mapping[str, int] = {
    "plan": 320, "act": 160, "observe": 720, "fused": 850, "verify": 300, "conclude": 700,
}  # fmt: skip
UNMEASURED_TOKENS_PER_S = 60.0  # what GPU tiers give: a guess that keeps the deadline on an unknown endpoint
UNMEASURED_TTFT_S = 0.15
SLOW_TOKENS_PER_S = 200.0  # below this, two model calls a cycle cost more than the second thought is worth
FINISH_S = 0.12  # from the last token to the printed report and the end of the process
MARGIN = 1.25  # a turn may be that much longer than typical and still fit
_NEWEST = 0.5  # weight of the newest measurement


@dataclass(slots=True)
class Pacing:
    """Predictions for one run, corrected by every turn it is shown."""

    tokens_per_s: float = UNMEASURED_TOKENS_PER_S
    ttft_s: float = UNMEASURED_TTFT_S
    tool_s: float = 0.1
    max_cycles: int = 6
    _tokens: dict[str, float] = field(default_factory=lambda: dict(TYPICAL_TOKENS))
    _measured: bool = False

    def learn(self, turn: Turn) -> None:
        """Correct the predictions by a turn that is over."""
        weight = _NEWEST if self._measured else 1.0
        self._measured = True
        if turn.output_tokens > 1 and turn.decode_s > 0:
            self.tokens_per_s = _mix(self.tokens_per_s, turn.output_tokens / turn.decode_s, weight)
        self.ttft_s = _mix(self.ttft_s, turn.ttft_s, weight)
        if turn.output_tokens:
            self._tokens[turn.node] = _mix(self._tokens[turn.node], turn.output_tokens, _NEWEST)
        if turn.tools:
            self.tool_s = _mix(self.tool_s, turn.tool_tail_s, _NEWEST)

    def turn_s(self, node: str) -> float:
        """How long a turn of this node will last, with margin."""
        return (self.ttft_s + self._tokens[node] / self.tokens_per_s) * MARGIN

    def reserve_s(self) -> float:
        """What must be held back for the answer."""
        return self.turn_s("conclude")

    def first(self, allowance: Allowance) -> tuple[Decision, str]:
        """How to begin: "cycle" means that a plan fits; otherwise as `after_look`."""
        left_s = allowance.deadline.left_s()
        if left_s < self.turn_s("conclude"):
            return "stop", f"{left_s:.1f} s left, the answer alone would take {self.turn_s('conclude'):.1f} s"
        need_s = self.turn_s("plan") + self.turn_s("act") + self.turn_s("conclude")
        if left_s < need_s:
            return "conclude", f"{left_s:.1f} s left, a plan and one look would take {need_s:.1f} s"
        return "cycle", f"{left_s:.1f} s left"

    def after_calls(self, allowance: Allowance) -> tuple[Decision, str]:
        """How to take in what the tools returned: a turn for it alone, a fused turn, or straight to the answer."""
        left_s = self._left_s(allowance)
        if left_s < self.turn_s("observe"):
            return "conclude", f"{left_s:.1f} s left beside the answer, an assessment would take more"
        if self.tokens_per_s < SLOW_TOKENS_PER_S:
            return "fused", f"{self.tokens_per_s:.0f} tokens/s is slow"
        if left_s < self.turn_s("observe") + self.turn_s("act") + self.tool_s:
            return "fused", f"{left_s:.1f} s left, no room for two more turns"
        return "cycle", f"{left_s:.1f} s left"

    def after_look(self, allowance: Allowance, wants: str, cycles: int) -> tuple[Decision, str]:
        """Whether to look again, to verify, or to answer at once."""
        left_s = self._left_s(allowance)
        again_s = self.turn_s("act") + self.tool_s + self.turn_s("observe")
        if wants == "continue" and cycles < self.max_cycles and allowance.turns > 1 and left_s >= again_s:
            return "cycle", f"{left_s:.1f} s left, another look takes {again_s:.1f} s"
        if left_s >= self.turn_s("verify") and allowance.turns > 0:
            return "verify", "no further look wanted" if wants != "continue" else "no room for another look"
        return "conclude", f"{left_s:.1f} s left beside the answer"

    def _left_s(self, allowance: Allowance) -> float:
        return allowance.deadline.left_s() - self.reserve_s()


def _mix(old: float, new: float, weight: float) -> float:
    return old * (1 - weight) + new * weight
