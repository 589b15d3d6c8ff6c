"""The options that several commands share, as one value."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


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


class Ablation(StrEnum):
    """What to take away, to see what the answer rests on."""

    evidence = "evidence"
    playbooks = "playbooks"


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


@dataclass(frozen=True, slots=True)
class Common:
    """The shared options of a run, as given."""

    tier: str = "ultrafast"
    pace: Pace = Pace.none
    base_url: str = ""
    model: str = ""
    dialect: Dialect = Dialect.responses
    format: Format = Format.text
    output: Path | None = None
    strict: bool = False
    colour: When = When.auto
    quiet: bool = False
    verbose: bool = False
    ablate: Ablation | None = None


def seconds(text: str) -> float:
    """A duration as typed: 5, 5s, 300ms, 2m. Raises typer's usage error otherwise."""
    units = (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0))
    number, unit_s = next(((text.removesuffix(u), s) for u, s in units if text.endswith(u)), (text, 1.0))
    try:
        value = float(number) * unit_s
    except ValueError:
        value = 0.0
    if not 0 < value < 86_400:
        raise typer.BadParameter(f"--sla {text!r}: give a time above 0 and below a day, such as 5s, 300ms or 2m")
    return value


SlaOption = Annotated[str, typer.Option("--sla", metavar="TIME", help="Deadline from process start: 5s, 300ms, 2m.")]
