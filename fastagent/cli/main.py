"""`fastagent`: the commands."""

import os
import sys
import traceback
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from fastagent.cli import options as o
from fastagent.cli.bot import app as bot_app
from fastagent.cli.playbooks import app as playbooks_app
from fastagent.cli.process import FULL, leave, prepare_streams
from fastagent.errors import BudgetError, FastagentError, InputError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Root causes and log triage before a deadline, with evidence.",
)
app.add_typer(bot_app, name="bot")
app.add_typer(playbooks_app, name="playbooks")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"fastagent {version('fastagent')}")
        raise typer.Exit


@app.callback()
def fastagent(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Without --base-url the model is emulated in this process and nothing leaves the machine."""


@app.command()
@o.with_common
def triage(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…|-", help="Log files, directories, or - for stdin.")],
    common: o.Common,
    sla: o.SlaOption = "5s",
    baseline: o.BaselineOption = None,
    since: o.SinceOption = "",
    until: o.UntilOption = "",
    last: o.LastOption = "",
    fail_on: o.FailOnOption = None,
) -> None:
    """What is wrong in these logs, with the lines that show it."""
    from fastagent.cli import session
    from fastagent.cli.triage import bundle as logs
    from fastagent.cli.triage import status_of, window

    sla_s = o.seconds(sla)
    with logs(paths, baseline or [], window(since, until, last), sla_s) as evidence:
        leave_with(session.run(evidence, sla_s, common, judge=status_of(fail_on)))


@app.command()
@o.with_common
def investigate(
    common: o.Common,
    bundle: Annotated[
        Path | None, typer.Argument(metavar="[BUNDLE]", help="Directory, zip or tar of an incident's evidence.")
    ] = None,
    alert: Annotated[
        Path | None, typer.Option("--alert", metavar="FILE", help="An alert's payload, of any sender; - for stdin.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Ask this machine and its cluster too; commands that read.")
    ] = False,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="DIR", help="Keep what --live reads as a bundle.")
    ] = None,
    at: Annotated[
        str, typer.Option("--at", metavar="T", help="A past time for --live: 05:40, '2h ago', ISO 8601.")
    ] = "",
    sla: o.SlaOption = "30s",
) -> None:
    """The root cause of an incident, recorded or live, with evidence."""
    from fastagent.bundle import Bundle
    from fastagent.cli import session
    from fastagent.cli.process import INPUT_SHARE, age_s
    from fastagent.cli.subject import at_time, live_commands, moment, recorded, subject

    sla_s = o.seconds(sla)
    if at and not live:
        raise InputError("--at asks live systems about a past time; without --live there is nothing to ask")
    then = moment(at, datetime.now().astimezone()) if at else None
    evidence = subject(bundle, alert, live=live, left_s=lambda: INPUT_SHARE * sla_s - age_s())
    evidence = at_time(evidence, then) if then else evidence
    commands = live_commands(evidence, then) if live else None
    try:
        with recorded(record, evidence, commands):
            leave_with(session.run(evidence, sla_s, common, commands=commands))
    finally:
        if isinstance(evidence, Bundle):
            evidence.close()


@app.command()
@o.with_common
def ask(
    words: Annotated[list[str], typer.Argument(metavar="[REPORT] QUESTION", help="A report (JSON), and what to ask.")],
    common: o.Common,
    bundle: Annotated[
        Path | None,
        typer.Option("--bundle", metavar="PATH", help="Evidence to look at where the report does not tell."),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Ask this machine and its cluster; commands that read.")] = False,
    sla: o.SlaOption = "30s",
) -> None:
    """A question about a report or about evidence, answered with quotes."""
    from fastagent.cli import ask as asking

    leave_with(asking.run(words, bundle, o.seconds(sla), common, live=live))


@app.command()
def demo(
    pace: o.PaceOption = o.Pace.real,
    tier: o.TierOption = "ultrafast",
    color: o.ColourOption = o.When.auto,
    quiet: o.QuietOption = False,
) -> None:
    """Diagnose a recorded PostgreSQL incident, then triage its server log, at emulated speed."""
    from fastagent.cli.demo import run

    leave_with(run(o.Common(tier=tier, pace=pace, color=color, quiet=quiet)))


@app.command()
def doctor(
    sla: o.SlaOption = "10s",
    tier: o.TierOption = "ultrafast",
    pace: o.PaceOption = o.Pace.real,
    base_url: o.BaseUrlOption = "",
    model: o.ModelOption = "",
    api: o.DialectOption = o.Dialect.responses,
    cases: Annotated[bool, typer.Option("--cases/--no-cases", help="Also investigate five recorded incidents.")] = True,
) -> None:
    """Check endpoint, tier, sources and credentials, and how well your model does on five recorded incidents."""
    from fastagent.cli import doctor as checkup

    leave_with(checkup.run(o.choice(tier, pace, base_url, model, api), o.seconds(sla), with_cases=cases))


@app.command("eval")
def evaluate(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="Folder of cases: <case>/bundle/ with expected.json.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for <case-id>.json reports.")] = Path(
        "out/eval"
    ),
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Cases at a time; default one a core.")] = 0,
    again: Annotated[bool, typer.Option("--again", help="Also cases that have a report already.")] = False,
    relabel: Annotated[
        bool, typer.Option("--relabel", help="Exchange the services' names; told in the old ones.")
    ] = False,
    uncited: Annotated[
        bool, typer.Option("--uncited", help="Without the sources that the --compare run cited.")
    ] = False,
    ablate: o.AblateOption = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", metavar="DIR", help="Reports of another run, to compare with.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the result as a page.")] = None,
    sla: o.SlaOption = "10s",
    tier: o.TierOption = "ultrafast",
    pace: o.PaceOption = o.Pace.real,
    base_url: o.BaseUrlOption = "",
    model: o.ModelOption = "",
    api: o.DialectOption = o.Dialect.responses,
) -> None:
    """Investigate every recorded case of a folder, and say how many answers were right."""
    from fastagent.cli import eval as evaluation
    from fastagent.evaluation.cases import Setting

    if relabel and uncited:
        raise InputError("--relabel and --uncited change the same bundles: give one of them")
    setting = Setting(o.seconds(sla), o.choice(tier, pace, base_url, model, api), withhold=(ablate,) if ablate else ())
    variant = evaluation.Variant.relabel if relabel else evaluation.Variant.uncited if uncited else None
    plan = evaluation.Plan(cases, output, setting, jobs or evaluation.cores(), again, variant, compare, html)
    leave_with(evaluation.run(plan))


def leave_with(status: int) -> None:
    """End a command with an exit status."""
    raise typer.Exit(status)


def main() -> None:
    """The entry point: every error of ours becomes one line and an exit status."""
    prepare_streams()
    try:
        app()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    except (InputError, BudgetError) as error:
        status = _say(error, 2)
    except FastagentError as error:
        status = _say(error, 1)
    except BrokenPipeError:
        status = 0  # whoever read us has seen enough
    except OSError as error:
        status = _say(FastagentError(f"cannot write: {error.strerror}") if error.errno in FULL else error, 1)
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # noqa: BLE001 - a bug of ours is one line too; the traceback is for whoever asks
        status = _bug(error)
    leave(status)


def _bug(error: Exception) -> int:
    if os.environ.get("FASTAGENT_DEBUG"):
        traceback.print_exc()
    return _say(RuntimeError(f"internal error, {type(error).__name__}: {error} (FASTAGENT_DEBUG=1 shows where)"), 1)


def _say(error: Exception, status: int) -> int:
    from fastagent.report.text import clean

    sys.stderr.write(f"fastagent: {clean(' '.join(str(error).split()))}\n")
    return status
