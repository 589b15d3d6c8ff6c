"""`fastagent doctor`: is everything there, and how well does your model do on five recorded incidents?"""

import asyncio
from collections.abc import Sequence

import typer

from fastagent.backend import Choice
from fastagent.checkup import Check, endpoint_checks, source_checks
from fastagent.cli.installed import incident
from fastagent.evaluation.cases import Case, Investigator, Setting, expected_of
from fastagent.evaluation.judging import judge
from fastagent.evaluation.measures import Answer, Share, summary
from fastagent.report.text import clean
from fastagent.state import as_json

OK, SICK = 0, 1
CASES = ("tls-certificate-expired", "postgres-lock-queue", "oom-kill", "disk-full", "bad-deploy")
ENOUGH = 4  # of five right
MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL", "none": "-   "}


def run(choice: Choice, sla_s: float, *, with_cases: bool = True) -> int:
    """Print a line for each check and each case. Exit status 1 if the endpoint or too many answers fail."""
    checks = asyncio.run(_checks(choice))
    for check in checks:
        _say(check)
    if any(check.mark == "fail" for check in checks):
        return SICK
    return _cases(choice, sla_s) if with_cases else OK


async def _checks(choice: Choice) -> list[Check]:
    return [*await endpoint_checks(choice.endpoint(), choice.tier), *await source_checks()]


def _say(check: Check) -> None:
    typer.echo(f"{MARKS[check.mark]}  {check.name:24}  {clean(check.says)}")


def _cases(choice: Choice, sla_s: float) -> int:
    """The five incidents, one after the other: what they take is what an incident would take."""
    investigator = Investigator(Setting(sla_s, choice))
    answers = [_case(investigator, name) for name in CASES]
    right = sum(bool(verdict.right) for _, verdict in answers)
    enough = right >= ENOUGH
    _say(Check("ok" if enough else "fail", "five incidents", _summary(answers, right, sla_s, enough=enough)))
    return OK if enough else SICK


def _case(investigator: Investigator, name: str) -> Answer:
    folder = incident(name)
    case = Case(name, folder / "bundle", folder / "expected.json")
    report = as_json(investigator.report(case.bundle))
    verdict = judge(report, expected_of(case))
    cause = report.get("root_cause") or {}
    said = f"{cause.get('component') or '-'}: {cause.get('label') or cause.get('category') or 'nothing wrong'}"
    wall_s = float((report.get("timing") or {}).get("wall_s") or 0.0)
    _say(Check("ok" if verdict.right else "fail", name, f"{wall_s:5.2f} s  {said}  {verdict}"))
    return report, verdict


def _summary(answers: Sequence[Answer], right: int, sla_s: float, *, enough: bool) -> str:
    found = summary(answers)
    costs = [float(cost) for r, _ in answers if (cost := (r.get("usage") or {}).get("cost_usd")) is not None]
    cost = f"${sum(costs):.4f}" if len(costs) == len(answers) else "cost unknown: no price is published"
    advice = "" if enough else f"; {ENOUGH} are expected of a model that can do this job"
    return (
        f"{Share(right, len(answers))} right{advice}; wall p50 {found.wall_p50_s:.2f} s, "
        f"p95 {found.wall_p95_s:.2f} s of {sla_s:g} s; {found.tokens_in:,} tokens in, {found.tokens_out:,} out; {cost}"
    )
