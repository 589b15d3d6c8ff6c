"""Which checks to make next: those that the leading hypotheses' playbooks ask for, then what is recorded and unread.

A check is worth making while it can still move a belief; none is made twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wafer_backend.engines import ToolSpec
from wafer_backend.engines.evidence.case import Case
from wafer_backend.engines.evidence.weigh import Hypothesis, compiled

Look = tuple[str, dict[str, Any]]  # tool, arguments

MOST_LOOKS = 8  # calls in one turn
WORTH_CHECKING = 0.1  # a belief below this is not pursued


def next_looks(case: Case, believed: Sequence[Hypothesis], tools: Sequence[ToolSpec]) -> list[Look]:
    """The calls to make now, most separating first; empty when nothing recorded could change the answer."""
    offered = {t.name: t for t in tools}
    chosen: list[Look] = []
    for tool, arguments in _wanted(case, believed):
        look = (tool, arguments)
        if (
            tool in offered
            and look not in chosen
            and not case.done(tool, arguments)
            and _fits(offered[tool], arguments)
        ):
            chosen.append(look)
    return chosen[:MOST_LOOKS]


def _wanted(case: Case, believed: Sequence[Hypothesis]) -> Iterator[Look]:
    for hypothesis in believed:
        if hypothesis.playbook and hypothesis.belief >= WORTH_CHECKING:
            for check in hypothesis.playbook.get("checks", ()):
                yield from _calls_of(case, check)
    for command in case.recorded:
        yield "read_command", {"command": command}


def _calls_of(case: Case, check: Mapping[str, Any]) -> Iterator[Look]:
    """One call, or with `pick` one for each recorded command line that fits."""
    tool, arguments = str(check["tool"]), dict(check.get("args") or {})
    if not check.get("pick"):
        if not (tool == "log_overview" and not arguments):  # the opening has read that
            yield tool, arguments
        return
    for command in case.recorded:
        if compiled(str(check["pick"])).search(command):
            yield tool, {**arguments, "command": command}


def _fits(tool: ToolSpec, arguments: Mapping[str, Any]) -> bool:
    """Whether the tool takes these arguments and gets all that it requires."""
    properties = tool.parameters.get("properties") or {}
    required = tool.parameters.get("required") or ()
    return all(a in properties for a in arguments) and all(r in arguments for r in required)
