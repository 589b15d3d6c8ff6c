"""`fastagent demo`: the whole loop on one recorded incident and one of its logs."""

from pathlib import Path

import typer

import fastagent
from fastagent.bundle import Bundle
from fastagent.cli import session
from fastagent.cli.options import Common
from fastagent.cli.process import age_s
from fastagent.errors import InputError

SLA_S = 10.0
_INCIDENT = Path("examples", "incidents", "postgres-connections", "bundle")


def run(common: Common) -> int:
    """Both runs; the second one's clock starts when the first has ended."""
    bundle = _bundle()
    typer.echo(f"$ fastagent investigate {_INCIDENT} --sla {SLA_S:.0f}s --pace {common.pace.value}\n")
    status = session.run(Bundle.open(bundle), SLA_S, common)
    if status == session.INTERRUPTED:
        return status
    log = next(iter(sorted((bundle / "logs").rglob("postgres*.log"))))
    typer.echo(
        f"\n$ fastagent triage {_INCIDENT / log.relative_to(bundle)} --sla {SLA_S:.0f}s --pace {common.pace.value}\n"
    )
    return max(status, session.run(Bundle.of_logs([log]), SLA_S, common, began_s=age_s()))


def _bundle() -> Path:
    """The recorded incident: in a checkout below examples/, in an installed package beside this code."""
    package = Path(fastagent.__file__).parent
    for place in (package / "_demo" / "bundle", package.parent / _INCIDENT):
        if place.is_dir():
            return place
    raise InputError("the demo's incident is not installed; run it from a checkout")
