"""One request in, one answer out: which submission or which calls the request allows decides what is said."""

import json
from collections.abc import Sequence
from typing import Any

from wafer_backend.engines import Answer, Call, Request, ToolSpec
from wafer_backend.engines.evidence import answer as words
from wafer_backend.engines.evidence import foreign
from wafer_backend.engines.evidence.case import Case, read
from wafer_backend.engines.evidence.looks import next_looks
from wafer_backend.engines.evidence.weigh import Hypothesis, hypotheses

MOST_CYCLES = 3  # looks after which what is left unread is not worth another turn


class Evidence:
    """The default engine. Stateless: all it knows is in the request."""

    name = "evidence"

    def answer(self, request: Request) -> Answer:
        """Word the answer."""
        case = read(request)
        if case is None:
            return foreign.answer(request)
        callable_now = {t.name: t for t in request.callable_tools()}
        submit = next((n for n in callable_now if n.startswith("submit_")), None)
        evidence_tools = [t for n, t in callable_now.items() if not n.startswith("submit_")]
        if submit is None and not evidence_tools:
            return foreign.answer(request)
        return _speak(request, case, submit, evidence_tools)


def _speak(request: Request, case: Case, submit: str | None, tools: Sequence[ToolSpec]) -> Answer:
    believed = hypotheses(case)
    all_tools = [t for t in request.tools if not t.name.startswith("submit_")]
    looks = next_looks(case, believed, all_tools) if _looks_made(case) < MOST_CYCLES else []
    if submit is None:
        return _look(case, looks or _any_look(tools))
    calls = [Call(submit, _dump(_submission(submit, case, believed, looks)))]
    if tools and looks:  # a fused turn
        calls += _look(case, looks).calls
    return Answer(calls=tuple(calls))


def _submission(submit: str, case: Case, believed: list[Hypothesis], looks: list[Any]) -> dict[str, Any]:
    if submit == "submit_plan":
        return words.plan(case, believed, looks)
    if submit == "submit_assessment":
        return words.assessment(case, believed, looks)
    return words.diagnosis(case, believed)


def _look(case: Case, looks: Sequence[tuple[str, dict[str, Any]]]) -> Answer:
    return Answer(calls=tuple(Call(tool, _dump(arguments)) for tool, arguments in looks))


def _any_look(tools: Sequence[ToolSpec]) -> list[tuple[str, dict[str, Any]]]:
    """A call must be made and none is wanted: the cheapest is one that needs no arguments."""
    free = [t for t in tools if not t.parameters.get("required")] or list(tools)[:1]
    return [(t.name, {}) for t in free[:1]]


def _looks_made(case: Case) -> int:
    """How many assessments there were, which is how many looks were taken in."""
    return sum(1 for name, _ in case.calls if name == "submit_assessment")


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
