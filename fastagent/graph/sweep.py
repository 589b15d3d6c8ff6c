"""Without a model: make the checks that the best fitting playbooks ask for, so that the answer has more to stand on.

Used where there is no time for a turn or nobody answers. Tools are quick; what is missing is only somebody to choose.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from fastagent.graph.calls import Calls
from fastagent.graph.run import Run
from fastagent.model.exchange import ToolCall
from fastagent.pattern import compile_pattern
from fastagent.playbook import Check, match
from fastagent.state import Observation

MAX_PLAYBOOKS = 2
MAX_CALLS = 8


async def sweep(run: Run, found: Sequence[Observation]) -> list[Observation]:
    """What the checks brought; the budget of tool calls and the deadline hold as for a model's calls."""
    findings = [f for o in found for f in o.findings]
    fitting = [p for p, _ in match(run.playbooks, findings)][:MAX_PLAYBOOKS]
    looks = dict.fromkeys(look for p in fitting for check in p.checks for look in _calls(run, check))
    run.allowance.reserve_s = 0.0  # no model will answer: nothing is to be held back for it
    calls = Calls(run, turn=0)
    calls.streaming = False
    for number, (tool, arguments) in enumerate(list(looks)[:MAX_CALLS]):
        calls.start(ToolCall(f"sweep-{number}", tool, arguments))
    return [observation for _, observation in await calls.results()]


def _calls(run: Run, check: Check) -> Iterator[tuple[str, str]]:
    """Tool and arguments as JSON text; with `pick`, one call for each recorded command line that fits."""
    if check.tool not in run.tools or run.tools[check.tool].opening == check.args:
        return
    if not check.pick:
        yield check.tool, _text(check.args)
        return
    pattern = compile_pattern(check.pick)
    for command in run.scope.commands.known():
        if pattern.search(command):
            yield check.tool, _text({**check.args, "command": command})


def _text(arguments: Any) -> str:
    return orjson.dumps(dict(arguments)).decode()
