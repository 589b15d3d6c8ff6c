"""How a run begins: from what the caller named, and what an earlier part of it left, to its live side and its state."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastagent.ablation import Ablation, without
from fastagent.budget import Allowance, Budget, now
from fastagent.bundle import Bundle
from fastagent.commands import CommandRunner, RecordedCommands
from fastagent.errors import InputError
from fastagent.event import Event
from fastagent.graph.run import Run
from fastagent.ledger import Ledger, Span, Turn
from fastagent.model.client import ModelClient
from fastagent.pacing import FINISH_S, Pacing
from fastagent.playbook import Playbook
from fastagent.redaction import Redactor
from fastagent.state import Incident, Observation, State, as_json, from_json
from fastagent.toolbox import Scope, Tool

Subject = Incident | Bundle | str | Path


@dataclass(frozen=True, slots=True)
class Kit:
    """What an agent brings to each of its runs."""

    client: ModelClient
    tier: str
    tools: Mapping[str, Tool]
    tool_list: Sequence[Mapping[str, Any]]
    playbooks: Sequence[Playbook]
    commands: CommandRunner | None = None  # of a live system; else those that are recorded in the bundle
    withheld: frozenset[Ablation] = frozenset()


def prepare(
    kit: Kit,
    pacing: Pacing,
    subject: Subject | None,
    budget: Budget,
    spent_s: float,
    emit: Callable[[Event], None],
    earlier: State | None = None,
) -> tuple[Run, State]:
    """The live side of a run, and the state it starts from. What `earlier` had spent stays spent."""
    entered = now()
    redactor = Redactor.resume(earlier.get("redactions", {}) if earlier else {})
    if earlier:
        budget = Budget(**earlier["budget"])
        spent_s = earlier.get("spent", {}).get("seconds", 0.0)
        subject = subject or from_json(Incident, redactor.restore_all(earlier["incident"]))
    bundle, incident = _understand(subject)
    bundle = without(bundle, kit.withheld) if bundle and kit.withheld else bundle
    start = earlier or State(incident=redactor.redact_all(incident), budget=as_json(budget))
    ledger = _ledger(entered - spent_s, start)
    if not earlier:
        ledger.add("startup", "process", entered - spent_s, entered)
    allowance = _allowance(budget, spent_s, start)
    commands = kit.commands or RecordedCommands(bundle.commands if bundle else {})
    run = Run(
        budget=budget,
        allowance=allowance,
        client=kit.client,
        tier=kit.tier,
        tools=kit.tools,
        tool_list=kit.tool_list,
        playbooks=kit.playbooks,
        scope=Scope(
            bundle,
            commands,
            incident,
            allowance.deadline,
            clock=asyncio.get_running_loop().time,
            withheld=frozenset(map(str, kit.withheld)),
        ),
        ledger=ledger,
        redactor=redactor,
        pacing=pacing,
        emit=emit,
        verifies=Ablation.verification not in kit.withheld,
        seen=[from_json(Observation, o) for o in start.get("observations", [])],
    )
    ledger.add("framework", "prepare", entered, now())
    return run, start


def _understand(subject: Subject | None) -> tuple[Bundle | None, Incident]:
    """The evidence and the incident behind whatever the caller named."""
    if isinstance(subject, str | os.PathLike):
        subject = Bundle.open(subject)
    if isinstance(subject, Bundle):
        return subject, subject.incident
    if subject is None:
        raise InputError("nothing to investigate: give an incident or the path of a bundle")
    return (Bundle.open(subject.bundle) if subject.bundle else None), subject


def _allowance(budget: Budget, spent_s: float, start: State) -> Allowance:
    """What is left of the budget, with what finishing takes held back."""
    spent = start.get("spent", {})
    turns, calls = int(spent.get("turns", 0)), int(spent.get("tool_calls", 0))
    allowance = budget.start(spent_s=spent_s, spent_turns=turns, spent_calls=calls)
    allowance.deadline = allowance.deadline.sooner(min(FINISH_S, budget.total_s / 4))
    return allowance


def _ledger(began: float, state: State) -> Ledger:
    spans = [from_json(Span, s) for s in state.get("spans", [])]
    turns = [from_json(Turn, t) for t in state.get("turns", [])]
    return Ledger(began, spans, turns)
