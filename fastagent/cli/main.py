"""`fastagent`: the commands."""

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from fastagent.cli import options as o
from fastagent.cli.bot import app as bot_app
from fastagent.cli.playbooks import app as playbooks_app
from fastagent.cli.process import leave
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
def triage(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…|-", help="Log files, directories, or - for stdin.")],
    sla: o.SlaOption = "5s",
    tier: o.TierOption = "ultrafast",
    pace: o.PaceOption = o.Pace.none,
    base_url: o.BaseUrlOption = "",
    model: o.ModelOption = "",
    api: o.DialectOption = o.Dialect.responses,
    format: o.FormatOption = o.Format.text,  # noqa: A002
    output: o.OutputOption = None,
    strict: o.StrictOption = False,
    color: o.ColourOption = o.When.auto,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    ablate: o.AblateOption = None,
) -> None:
    """What is wrong in these logs, with the lines that show it."""
    from fastagent.bundle import Bundle
    from fastagent.cli import session
    from fastagent.cli.stdin import spooled

    sla_s = o.seconds(sla)
    common = o.Common(tier, pace, base_url, model, api, format, output, strict, color, quiet, verbose, ablate)
    with spooled(paths) as files:
        leave_with(session.run(Bundle.of_logs(files), sla_s, common))


@app.command()
def investigate(
    bundle: Annotated[
        Path | None, typer.Argument(metavar="[BUNDLE]", help="Directory with an incident's evidence.")
    ] = None,
    alert: Annotated[
        Path | None, typer.Option("--alert", metavar="FILE", help="An alert's payload, of any sender; - for stdin.")
    ] = None,
    sla: o.SlaOption = "30s",
    tier: o.TierOption = "ultrafast",
    pace: o.PaceOption = o.Pace.none,
    base_url: o.BaseUrlOption = "",
    model: o.ModelOption = "",
    api: o.DialectOption = o.Dialect.responses,
    format: o.FormatOption = o.Format.text,  # noqa: A002
    output: o.OutputOption = None,
    strict: o.StrictOption = False,
    color: o.ColourOption = o.When.auto,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    ablate: o.AblateOption = None,
) -> None:
    """The root cause of a recorded incident, with evidence."""
    from fastagent.cli import session
    from fastagent.cli.subject import subject

    sla_s = o.seconds(sla)
    common = o.Common(tier, pace, base_url, model, api, format, output, strict, color, quiet, verbose, ablate)
    leave_with(session.run(subject(bundle, alert), sla_s, common))


@app.command()
def demo(
    pace: o.PaceOption = o.Pace.real,
    tier: o.TierOption = "ultrafast",
    color: o.ColourOption = o.When.auto,
    quiet: o.QuietOption = False,
) -> None:
    """Diagnose a recorded PostgreSQL incident, then triage its server log, at emulated speed."""
    from fastagent.cli.demo import run

    leave_with(run(o.Common(tier=tier, pace=pace, colour=color, quiet=quiet)))


def leave_with(status: int) -> None:
    """End a command with an exit status."""
    raise typer.Exit(status)


def main() -> None:
    """The entry point: every error of ours becomes one line and an exit status."""
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
    sys.stderr.write(f"fastagent: {' '.join(str(error).split())}\n")
    return status
