"""One run from the command line: build the agent, follow its events, write the report, say the exit status."""

import asyncio
import logging
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from fastagent.agent import Agent
from fastagent.budget import Budget
from fastagent.bundle import Bundle
from fastagent.cli.options import Common, Format, When
from fastagent.cli.options import choice as chosen
from fastagent.cli.process import age_s
from fastagent.cli.progress import QUIET_S, Progress
from fastagent.commands import CommandRunner
from fastagent.errors import FastagentError, InputError
from fastagent.event import Finished
from fastagent.report import jsonfile, markdown, repair, terminal
from fastagent.state import Incident, Report
from fastagent.telemetry import KeyValueFormatter

OK, FAILED, PARTIAL, INTERRUPTED = 0, 1, 3, 130


def run(
    subject: Bundle | Incident,
    sla_s: float,
    common: Common,
    *,
    began_s: float = 0.0,
    judge: Callable[[Report], int] | None = None,
    commands: CommandRunner | None = None,
) -> int:
    """Investigate, print, and return the exit status. The clock began `began_s` seconds after the process did.

    `judge` may turn an answer's status 0 into another.
    """
    _check_output(subject, common)
    if common.verbose:
        _log_to_stderr()
    if common.dry_run:
        return _preview(subject, sla_s, common, commands)
    report, interrupted = asyncio.run(_investigate(_agent(common, commands), subject, sla_s, common, began_s))
    write(report, common)
    if common.repair:
        _keep_repair(report, common.repair)
    if interrupted:
        return INTERRUPTED
    if report.status == "failed":
        return FAILED
    if common.strict and report.status == "partial":
        return PARTIAL
    return judge(report) if judge else OK


def _preview(subject: Bundle | Incident, sla_s: float, common: Common, commands: CommandRunner | None) -> int:
    """What a model would be sent, on stdout."""
    items = asyncio.run(_agent(common, commands).preview(subject, Budget(total_s=sla_s)))
    put("".join(f"--- {item['role']}\n{item['content']}\n" for item in items), common)
    return OK


def _check_output(subject: Bundle | Incident, common: Common) -> None:
    """Before anything is done: a report needs a place, and must not replace what it is about. Raises `InputError`."""
    to = common.output
    if to is None:
        return
    if to.is_dir() or not to.parent.is_dir():
        raise InputError(f"{to}: cannot write the report: {'a directory' if to.is_dir() else 'no such folder'}")
    if isinstance(subject, Bundle) and to.resolve() in {file.resolve() for file in subject.located.values()}:
        raise InputError(f"{to}: is what the report is about; give another file to -o")


def _agent(common: Common, commands: CommandRunner | None) -> Agent:
    return Agent(
        endpoint=chosen(common.tier, common.pace, common.base_url, common.model, common.api).endpoint(),
        tier=common.tier,
        commands=commands,
        withhold=(common.ablate,) if common.ablate else (),
    )


async def _investigate(
    agent: Agent, subject: Bundle | Incident, sla_s: float, common: Common, began_s: float
) -> tuple[Report, bool]:
    progress = Progress(quiet=common.quiet or common.verbose)
    interrupted: list[bool] = []

    def on_interrupt() -> None:
        interrupted.append(True)
        agent.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):  # both get the answer so far
        loop.add_signal_handler(number, on_interrupt)
    if common.no_model:
        return await agent.survey(subject, Budget(total_s=sla_s), spent_s=age_s() - began_s), bool(interrupted)
    loop.call_later(QUIET_S + 0.01, progress.wake)
    async for event in agent.stream(subject, Budget(total_s=sla_s), spent_s=age_s() - began_s):
        if isinstance(event, Finished):
            progress.end()
            return event.report, bool(interrupted)
        progress.show(event)
    raise FastagentError("the run ended without a report")


def write(report: Report, common: Common) -> None:
    """The report to its file or to stdout, in its form. Raises `InputError` where the file cannot be written."""
    put(_render(report, common), common)


def put(text: str, common: Common) -> None:
    """Text to the file of -o, else to stdout. Raises `InputError` where the file cannot be written."""
    if common.output is None:
        sys.stdout.write(text)
        return
    try:
        common.output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{common.output}: cannot write the report: {error.strerror}") from None


def _keep_repair(report: Report, to: Path) -> None:
    try:
        to.write_text(repair.script(report), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{to}: cannot write the repair: {error.strerror}") from None


def _render(report: Report, common: Common) -> str:
    if common.format is Format.json:
        return jsonfile.render(report)
    if common.format is Format.md:
        return markdown.render(report)
    on_terminal = common.output is None and sys.stdout.isatty()
    asked = on_terminal or os.environ.get("COLUMNS", "").isdigit()
    width = shutil.get_terminal_size().columns if asked else 120
    return terminal.render(report, width=min(max(width, 40), 140), colour=_colour(common, on_terminal))


def _colour(common: Common, on_terminal: bool) -> bool:
    if common.color is not When.auto:
        return common.color is When.always
    return on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(KeyValueFormatter())
    logger = logging.getLogger("fastagent")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
