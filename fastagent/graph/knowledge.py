"""Which playbooks the model is shown: at first those that fit what was read, later those that new findings speak for.

All of them would fill the prompt, and most of it with what has nothing to do with the incident.
"""

from collections.abc import Sequence
from typing import Any

from fastagent.graph.run import Run
from fastagent.playbook import Playbook, match
from fastagent.prompts.context import data
from fastagent.state import Finding, Incident, Observation, State

MOST_AT_FIRST = 8
MOST_LATER = 4  # a turn
SPEAKS_FROM = 0.4  # a fit below this is a word in common


def at_first(run: Run, incident: Incident, found: Sequence[Observation]) -> list[Playbook]:
    """Those whose signals are seen already, then others while there is room."""
    words = f"{incident.title}\n{incident.context}\n{incident.notes}\n{[dict(a) for a in incident.alerts]}"
    findings = [f for o in found for f in o.findings] + [Finding("incident", words, score=0.5)]
    fitting = [p for p, _ in match(run.playbooks, findings)]
    return [*fitting, *(p for p in run.playbooks if p not in fitting)][:MOST_AT_FIRST]


def later(run: Run, state: State) -> list[Playbook]:
    """Those that what was found since speaks for and that the model has not seen."""
    shown = set(state.get("playbooks", ()))
    findings = [f for o in run.seen for f in o.findings]
    fitting = [p for p, fit in match(run.playbooks, findings) if fit >= SPEAKS_FROM and p.id not in shown]
    return fitting[:MOST_LATER]


def told(playbooks: Sequence[Playbook]) -> str:
    """Words that hand further playbooks over; "" for none."""
    if not playbooks:
        return ""
    return f"Playbooks that what was found speaks for: {data({'playbooks': as_data(playbooks)})}\n"


def as_data(playbooks: Sequence[Playbook]) -> list[dict[str, Any]]:
    """Playbooks as the model reads them."""
    return [p.model_dump(mode="json") for p in playbooks]


def ids(playbooks: Sequence[Playbook]) -> list[str]:
    """Their names, for the state."""
    return [p.id for p in playbooks]
