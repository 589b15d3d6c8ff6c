"""`fastagent bot`: alerts in by webhook, diagnoses out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastagent.cli import options as o

if TYPE_CHECKING:
    from fastagent.bot.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The on-call bot.")

DbOption = Annotated[
    Path, typer.Option("--db", metavar="PATH", help="The bot's SQLite file; made where there is none.")
]
HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")]
TokenOption = Annotated[str, typer.Option(envvar="FASTAGENT_BOT_TOKEN", help="Bearer token that callers must show.")]
BasicOption = Annotated[
    str, typer.Option(envvar="FASTAGENT_BOT_BASIC", metavar="USER:PASS", help="Or user and password.")
]
BundlesOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Recorded evidence: an alert's label `bundle` names a folder.")
]
PrometheusOption = Annotated[str, typer.Option(metavar="URL", help="Prometheus to ask, read-only.")]
WebhookOption = Annotated[str, typer.Option(metavar="URL", help="Where reports are posted.")]
SlaOption = Annotated[str, typer.Option("--sla", metavar="TIME", help="Deadline from the alert's receipt: 5s, 2m.")]


@app.callback()
def bot() -> None:
    """Keep `serve` a command of its own, although it is the only one yet."""


@app.command()
def serve(
    db: DbOption,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8585,
    token: TokenOption = "",
    basic: BasicOption = "",
    bundles: BundlesOption = None,
    prometheus: PrometheusOption = "",
    webhook: WebhookOption = "",
    sla: SlaOption = "30s",
    tier: o.TierOption = "ultrafast",
    pace: o.PaceOption = o.Pace.none,
    base_url: o.BaseUrlOption = "",
    model: o.ModelOption = "",
    api: o.DialectOption = o.Dialect.responses,
) -> None:
    """Take alerts by webhook, investigate one after the other, post and show the reports."""
    from fastagent.bot.auth import Credentials
    from fastagent.bot.server import listen
    from fastagent.bot.server import serve as run
    from fastagent.bot.settings import Settings

    settings = Settings(
        db=db,
        credentials=Credentials(token, basic),
        bundles=bundles,
        prometheus=prometheus,
        webhook=webhook,
        sla_s=o.seconds(sla),
        choice=o.choice(tier, pace, base_url, model, api),
    )
    _check(settings, host)
    answered_by = settings.choice.endpoint().answered_by
    listener = listen(host, port)
    typer.echo(_banner(settings, answered_by, host, listener.getsockname()[1]), err=True)
    run(settings, listener)


def _check(settings: "Settings", host: str) -> None:
    """Refuse what could not work, or would let anybody in. Raises `InputError`."""
    from fastagent.errors import InputError

    for name, url in (("--prometheus", settings.prometheus), ("--webhook", settings.webhook)):
        if url and not url.startswith(("http://", "https://")):
            raise InputError(f"{name} {url!r}: must start with http:// or https://")
    if settings.credentials.basic and ":" not in settings.credentials.basic:
        raise InputError("--basic: give user:password")
    if settings.bundles is not None and not settings.bundles.is_dir():
        raise InputError(f"--bundles {settings.bundles}: no such directory")
    if not settings.credentials and not _is_loopback(host):
        raise InputError(f"{host} is reachable from other machines: give --token or --basic")


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _banner(settings: "Settings", answered_by: str, host: str, port: int) -> str:
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    evidence = [f"bundles below {settings.bundles}"] if settings.bundles else []
    evidence += [f"Prometheus at {settings.prometheus}"] if settings.prometheus else []
    lines = [
        f"fastagent bot takes alerts at {url}/webhook and shows incidents at {url}/",
        f"  evidence {' and '.join(evidence) or 'none but the alert: give --bundles or --prometheus'}",
        f"  model    {answered_by}",
        f"  reports  {f'are posted to {settings.webhook}' if settings.webhook else 'are shown only'}",
        f"  callers  {'must show credentials' if settings.credentials else 'are not asked for credentials'}",
    ]
    return "\n".join(lines)
