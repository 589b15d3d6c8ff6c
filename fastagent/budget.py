"""Deadlines that only shrink, and what one run may spend. Times are seconds on the event loop's clock.

`Budget` is what a caller grants (plain numbers, frozen); `Allowance` is what is left of it while a run lasts.
"""

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastagent.errors import BudgetError, DeadlineExceeded


def now() -> float:
    """The running loop's clock: a virtual-time loop makes every deadline virtual."""
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time. Absolute, so that no time is lost or gained in handing it down."""

    at: float  # seconds, loop clock

    def within(self, seconds: float) -> "Deadline":
        """The earlier of this and `seconds` from now: a child never outlives its parent."""
        return Deadline(min(self.at, now() + seconds))

    def sooner(self, seconds: float) -> "Deadline":
        """This deadline with `seconds` held back."""
        return Deadline(self.at - seconds)

    def left_s(self) -> float:
        """Seconds left; negative once it has passed."""
        return self.at - now()

    @asynccontextmanager
    async def enforce(self, what: str) -> AsyncGenerator[None]:
        """Cancel the body at the deadline and raise `DeadlineExceeded(what)`."""
        scope = asyncio.timeout_at(self.at)
        try:
            async with scope:
                yield
        except TimeoutError:
            if scope.expired():
                raise DeadlineExceeded(what) from None
            raise  # the body's own timeout


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may spend. Raises `BudgetError` for a limit that is not a positive, finite number."""

    total_s: float = 30.0
    turns: int = 24  # model calls
    tool_calls: int = 60

    def __post_init__(self) -> None:
        for name in ("total_s", "turns", "tool_calls"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise BudgetError(f"{name} must be a positive number, not {value!r}")

    def start(self, *, spent_s: float = 0.0, spent_turns: int = 0, spent_calls: int = 0) -> "Allowance":
        """Start the clock now, as if `spent_s` seconds had passed already (start-up, or an earlier session)."""
        return Allowance(
            Deadline(now() + self.total_s - spent_s),
            turns=self.turns - spent_turns,
            tool_calls=self.tool_calls - spent_calls,
        )


@dataclass(slots=True)
class Allowance:
    """What is left of a budget. `reserve_s` is held back from the search, so that an answer always fits."""

    deadline: Deadline
    turns: int
    tool_calls: int
    reserve_s: float = 0.0
    exhausted: list[str] = field(default_factory=list)  # names of limits that were hit

    def search_left_s(self) -> float:
        """Seconds that may still be spent on searching."""
        return self.deadline.left_s() - self.reserve_s

    def take_turn(self, *, reserved: bool = False) -> Deadline:
        """Take one turn and say until when it may last. The answer's own turn may use the reserve.

        Raises `BudgetError` naming "time" or "turns" when there is none left.
        """
        left_s = self.deadline.left_s() if reserved else self.search_left_s()
        if left_s <= 0:
            raise self._spent("time")
        if self.turns <= 0 and not reserved:
            raise self._spent("turns")
        self.turns -= 1
        return self.deadline if reserved else self.deadline.sooner(self.reserve_s)

    def take_tool_call(self) -> Deadline:
        """Take one tool call and say until when it may last. Raises `BudgetError` like `take_turn`."""
        if self.search_left_s() <= 0:
            raise self._spent("time")
        if self.tool_calls <= 0:
            raise self._spent("tool_calls")
        self.tool_calls -= 1
        return self.deadline.sooner(self.reserve_s)

    def _spent(self, limit: str) -> BudgetError:
        if limit not in self.exhausted:
            self.exhausted.append(limit)
        return BudgetError(limit)
