"""`wafer`: the emulator's command line. What a command needs is imported inside it, so that --help is quick."""

from enum import StrEnum
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wafer_backend.app import App
    from wafer_backend.tiers import Tiers

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="An OpenAI-compatible back end that emulates wafers and GPUs.",
)


class Pace(StrEnum):
    """How an answer's tokens are handed over."""

    real = "real"
    none = "none"


@app.callback()
def wafer() -> None:
    """Keep `serve` a command of its own, although it is the only one yet."""


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8484,
    pace: Annotated[Pace, typer.Option(help="Stream at emulated speed, or at once.")] = Pace.real,
    time_scale: Annotated[float, typer.Option(help="Stretch emulated time: 2 is twice as slow.")] = 1.0,
    engine: Annotated[str, typer.Option(help="evidence, echo, or package.module:Class.")] = "evidence",
    tokens_per_event: Annotated[int, typer.Option(min=1, help="Tokens in one stream event.")] = 1,
) -> None:
    """Serve the OpenAI API until interrupted."""
    from wafer_backend import server
    from wafer_backend.engines.registry import EngineNotFound

    try:
        built = _build(pace.value, time_scale, engine, tokens_per_event)
        listener = server.listen(host, port)
        _say(_banner(built, host, listener.getsockname()[1]))
        server.serve(built, listener)
    except (EngineNotFound, ValueError, server.ServerError) as error:
        _say(f"wafer: {error}")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _build(pace: str, time_scale: float, engine: str, tokens_per_event: int) -> "App":
    from wafer_backend.app import MODEL, App
    from wafer_backend.driver import Driver
    from wafer_backend.engines.registry import load
    from wafer_backend.tiers import Tiers

    words, tiers = load(engine), Tiers.default(MODEL)
    driver = Driver(tiers, "none" if pace == "none" else "real", time_scale)
    return App(words, tiers, driver, tokens_per_event=tokens_per_event)


def _banner(built: "App", host: str, port: int) -> str:
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    lines = [
        f"wafer serves {built.model} at {url}",
        f"  tiers   {_speeds(built.tiers)}",
        f"  engine  {built.engine.name}: an emulation of timing, not a language model",
        f"  client  OpenAI(base_url={url!r}, api_key='unused', max_retries=0)",
    ]
    if not _is_loopback(host):
        lines.append(f"  warning {host} is reachable from other machines, and nobody is asked for a key")
    return "\n".join(lines)


def _speeds(tiers: "Tiers") -> str:
    return ", ".join(f"{name} {tiers.resolve(name).tokens_per_s:.0f} tok/s" for name in tiers.names)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _say(text: str) -> None:
    typer.echo(text, err=True)


def main() -> None:
    """The entry point of the `wafer` command."""
    app()
