"""`fastagent playbooks`: what is known, and whether it holds together."""

from pathlib import Path
from typing import Annotated

import typer

from fastagent.cli import options as o

MOST_MATCHES = 8
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The playbooks that are installed.")


@app.command("list")
def list_all() -> None:
    """One line each."""
    from fastagent.playbook import load_playbooks

    for playbook in load_playbooks():
        typer.echo(f"{playbook.id:34} {playbook.category:22} {playbook.title}")


@app.command()
def show(name: Annotated[str, typer.Argument(help="Id of a playbook.")]) -> None:
    """The text of one, as a person reads it."""
    from fastagent.errors import InputError
    from fastagent.playbook import playbook_folders

    folders = playbook_folders()
    if name not in folders:
        raise InputError(f"no playbook {name!r}; there are {', '.join(sorted(folders))}")
    typer.echo((folders[name] / "SKILL.md").read_text(encoding="utf-8").rstrip())


@app.command("match")
def match_bundle(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Evidence to hold them against.")],
    sla: o.SlaOption = "30s",
) -> None:
    """Which playbooks an incident's evidence speaks for, best first, and by which quotes. No model is asked."""
    import asyncio

    from fastagent.agent import Agent
    from fastagent.budget import Budget
    from fastagent.bundle import Bundle

    evidence, sla_s = Bundle.open(bundle), o.seconds(sla)
    try:
        found = asyncio.run(Agent().matches(evidence, Budget(total_s=sla_s)))
    finally:
        evidence.close()
    for each in found[:MOST_MATCHES]:
        typer.echo(f"{each.fit:.2f}  {each.playbook.id}  {each.playbook.title}")
        for signal in each.playbook.signals:
            if shown := each.signals.get(signal.id):
                mark = "-" if signal.against else "+"
                typer.echo(f"      {mark} {signal.says}\n        {shown.source}  {' '.join(shown.quote.split())[:160]}")
    if not found:
        typer.echo("none of them fits what was read")


@app.command()
def check(
    folder: Annotated[Path | None, typer.Argument(help="Folder of playbooks; default: the installed ones.")] = None,
) -> None:
    """Whether each fits its schema, matches its example and not its look-alike. Exit status 1 if one does not."""
    from fastagent.errors import InputError
    from fastagent.playbook import check_folder, playbook_folders

    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    folders = playbook_folders() if folder is None else playbook_folders(folder)
    problems = [line for path in folders.values() for line in check_folder(path)]
    for line in problems:
        typer.echo(line, err=True)
    typer.echo(f"{len(folders)} playbooks, {len(problems)} problems")
    raise typer.Exit(1 if problems or not folders else 0)
