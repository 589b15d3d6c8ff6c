"""fastagent finds root causes and triages logs before a deadline, for models that stream 750 tokens a second.

    from fastagent import Agent, Budget, Incident

    report = await Agent().investigate(Incident("checkout fails", bundle="bundle/"), Budget(total_s=5))

Importing this package loads nothing: each name is fetched from its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastagent.agent import Agent
    from fastagent.budget import Budget, Deadline
    from fastagent.errors import BudgetError, FastagentError, ModelError, ToolError
    from fastagent.ledger import Span
    from fastagent.playbook import Playbook
    from fastagent.state import Evidence, Hypothesis, Incident, Observation, Report
    from fastagent.toolbox import Tool, tool

_OWNER = {
    "Agent": "agent",
    "Budget": "budget",
    "BudgetError": "errors",
    "Deadline": "budget",
    "Evidence": "state",
    "FastagentError": "errors",
    "Hypothesis": "state",
    "Incident": "state",
    "ModelError": "errors",
    "Observation": "state",
    "Playbook": "playbook",
    "Report": "state",
    "Span": "ledger",
    "Tool": "toolbox",
    "ToolError": "errors",
    "tool": "toolbox",
}

__all__ = [
    "Agent",
    "Budget",
    "BudgetError",
    "Deadline",
    "Evidence",
    "FastagentError",
    "Hypothesis",
    "Incident",
    "ModelError",
    "Observation",
    "Playbook",
    "Report",
    "Span",
    "Tool",
    "ToolError",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _OWNER:
        raise AttributeError(f"module 'fastagent' has no attribute {name!r}")
    # No module may be called like a public name (`tool.py`): importing it would set that name here, to the module.
    value = globals()[name] = getattr(import_module(f"fastagent.{_OWNER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
