"""`fastagent demo`: the whole loop on one recorded incident and one of its logs."""

import typer

from fastagent.bundle import Bundle
from fastagent.cli import session
from fastagent.cli.installed import INCIDENTS, incident
from fastagent.cli.options import Common
from fastagent.cli.process import age_s

SLA_S = 10.0
_INCIDENT = INCIDENTS / "postgres-connections" / "bundle"


def run(common: Common) -> int:
    """Both runs; the second one's clock starts when the first has ended."""
    bundle = incident("postgres-connections") / "bundle"
    typer.echo(f"$ fastagent investigate {_INCIDENT} --sla {SLA_S:.0f}s --pace {common.pace.value}\n")
    status = session.run(Bundle.open(bundle), SLA_S, common)
    if status == session.INTERRUPTED:
        return status
    log = next(iter(sorted((bundle / "logs").rglob("postgres*.log"))))
    typer.echo(
        f"\n$ fastagent triage {_INCIDENT / log.relative_to(bundle)} --sla {SLA_S:.0f}s --pace {common.pace.value}\n"
    )
    return max(status, session.run(Bundle.of_logs([log]), SLA_S, common, began_s=age_s()))
