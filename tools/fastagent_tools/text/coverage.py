"""Whether evidence reaches the time of the incident. What ends before it shows neither health nor fault."""

from fastagent.state import Finding
from fastagent_tools.text.times import Clock, Stamp, iso

KIND = "coverage.ends_before"
# Further apart, the clocks contradict each other, and nothing can be said.
MOST_S = 86_400.0


def ends_before(what: str, last_s: float | None, started_at: str | None) -> tuple[Finding, ...]:
    """The finding that `what` ends at `last_s` (seconds since the epoch) and the incident began later; else nothing."""
    began = Clock(1970).read(started_at) if started_at else None
    if began is None or last_s is None or not 0 < began.at_s - last_s <= MOST_S:
        return ()
    last = iso(Stamp(last_s, zoned=True))
    return (Finding(KIND, f"the {what} end at {last}, before the incident began ({started_at})", time=last),)
