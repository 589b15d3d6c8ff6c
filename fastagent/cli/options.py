"""The options that several commands share, as one value."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from fastagent.ablation import Ablation

if TYPE_CHECKING:
    from fastagent.backend import Choice


class Pace(StrEnum):
    """Whether the in-process back end waits for emulated time."""

    none = "none"
    real = "real"


class Format(StrEnum):
    """How the report is written."""

    text = "text"
    json = "json"
    md = "md"


class When(StrEnum):
    """When to colour."""

    auto = "auto"
    always = "always"
    never = "never"


class Dialect(StrEnum):
    """Which API an endpoint speaks."""

    responses = "responses"
    chat = "chat"


class FailOn(StrEnum):
    """What in a log makes `triage` end with status 4."""

    error = "error"
    new = "new"
    burst = "burst"


TierOption = Annotated[str, typer.Option("--tier", help="Service tier to ask for: ultrafast, default …")]
PaceOption = Annotated[Pace, typer.Option("--pace", help="real: the in-process model streams at emulated speed.")]
BaseUrlOption = Annotated[
    str, typer.Option("--base-url", envvar="FASTAGENT_BASE_URL", help="OpenAI-compatible endpoint; default in-process.")
]
ModelOption = Annotated[str, typer.Option("--model", envvar="FASTAGENT_MODEL", help="Model at --base-url.")]
DialectOption = Annotated[Dialect, typer.Option("--api", help="API that --base-url speaks.")]
FormatOption = Annotated[Format, typer.Option("--format", help="Form of the report.")]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write the report to this file.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Exit 3 when the answer is partial.")]
ColourOption = Annotated[When, typer.Option("--color", help="Colours; NO_COLOR is honoured.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Every event on stderr.")]
AblateOption = Annotated[
    Ablation | None, typer.Option("--ablate", help="Withhold this from the agent: what does the answer rest on?")
]


NoModelOption = Annotated[bool, typer.Option("--no-model", help="Only tools and playbooks; no model is asked.")]
RepairOption = Annotated[
    Path | None,
    typer.Option("--repair", metavar="FILE", help="Write the repair as a script that shows, and on --apply does."),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what a model would be sent; send nothing.")]


@dataclass(frozen=True, slots=True)
class Common:
    """The shared options of a run, as given. The command line's options are made from these fields."""

    tier: TierOption = "ultrafast"
    pace: PaceOption = Pace.none
    base_url: BaseUrlOption = ""
    model: ModelOption = ""
    api: DialectOption = Dialect.responses
    format: FormatOption = Format.text
    output: OutputOption = None
    strict: StrictOption = False
    color: ColourOption = When.auto
    quiet: QuietOption = False
    verbose: VerboseOption = False
    ablate: AblateOption = None
    no_model: NoModelOption = False
    repair: RepairOption = None
    dry_run: DryRunOption = False


def with_common(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameter `common` becomes one option for each field of `Common`."""
    own = {p.name: p for p in signature(command).parameters.values() if p.name != "common"}
    hints = get_type_hints(command, include_extras=True)
    shared = [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=_HINTS[f.name]) for f in fields(Common)
    ]

    @wraps(command)
    def wrapped(**given: Any) -> None:
        common = Common(**{f.name: given.pop(f.name) for f in fields(Common)})
        command(**given, common=common)

    parameters = [p.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own.values()] + shared
    wrapped.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapped


_HINTS = get_type_hints(Common, include_extras=True)


def choice(tier: str, pace: Pace, base_url: str, model: str, api: Dialect) -> "Choice":
    """Which model answers. A key in the environment counts only for an endpoint that was named."""
    from fastagent.backend import Choice

    key = os.environ.get("FASTAGENT_API_KEY") or os.environ.get("OPENAI_API_KEY", "")
    return Choice(tier, pace.value, base_url, model, key if base_url else "", api.value)


def seconds(text: str) -> float:
    """A duration as typed: 5, 5s, 300ms, 2m. Raises `InputError` otherwise."""
    from fastagent.errors import InputError

    units = (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0))
    number, unit_s = next(((text.removesuffix(u), s) for u, s in units if text.endswith(u)), (text, 1.0))
    try:
        value = float(number) * unit_s
    except ValueError:
        value = 0.0
    if not 0 < value < 86_400:
        raise InputError(f"--sla {text!r}: give a time above 0 and below a day, such as 5s, 300ms or 2m")
    return value


BaselineOption = Annotated[
    list[Path] | None, typer.Option("--baseline", help="Logs of a good time, to hold these against. Repeatable.")
]
SinceOption = Annotated[str, typer.Option("--since", metavar="TIME", help="Only from this log time on.")]
UntilOption = Annotated[str, typer.Option("--until", metavar="TIME", help="Only up to this log time.")]
LastOption = Annotated[str, typer.Option("--last", metavar="TIME", help="Only the last 15m, 2h … of the logs.")]
FailOnOption = Annotated[
    FailOn | None, typer.Option("--fail-on", help="Exit 4 where there are errors, new errors, or bursts of them.")
]
SlaOption = Annotated[str, typer.Option("--sla", metavar="TIME", help="Deadline from process start: 5s, 300ms, 2m.")]
