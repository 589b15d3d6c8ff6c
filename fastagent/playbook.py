"""A playbook: what is known of one kind of failure, as data. One folder each, for readers and for machines.

    incident_playbooks/<id>/SKILL.md            front matter name, description; the text
    incident_playbooks/<id>/playbook.yaml       the fields of `Playbook`
    incident_playbooks/<id>/example.json        findings that must match it, first of all
    incident_playbooks/<id>/look_alike.json     findings that look like it and must not

A signal is seen in a finding when its kind fits and its pattern is found in the finding's words; weights combine as
independent witnesses (noisy-or), so each further signal helps, and none alone is certain.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from fastagent.errors import InputError, PlaybookError
from fastagent.pattern import compile_pattern
from fastagent.state import CATEGORIES, Finding, from_json

SAID_BY_OTHERS = ("log.", "command.")  # findings whose entity is who speaks, and not who is spoken of
WITHOUT_ESSENTIAL = 0.5
LEAST_TRUST = 0.5  # of a signal's weight, however weak the finding that shows it
Text = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _checked(pattern: str) -> str:
    """The pattern, if it compiles; else the `ValueError` that pydantic wants."""
    try:
        compile_pattern(pattern)
    except InputError as error:
        raise ValueError(str(error)) from None
    return pattern


class Signal(_Part):
    """Something that speaks for the playbook (or, with `against`, speaks against it)."""

    id: Text
    says: Text  # in words, for people and models
    weight: float = Field(gt=0, lt=1)  # how far this signal alone would convince
    kinds: tuple[str, ...] = ()  # finding kinds, globs allowed; empty = any kind
    pattern: str = ""  # RE2, case ignored, over statement and quote; empty = the kind is enough
    against: bool = False
    essential: bool = False  # where it is not seen, the others convince much less

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return _checked(value)

    @cached_property
    def compiled(self) -> Any:
        """The pattern, ready to search."""
        return compile_pattern(self.pattern)

    def seen_in(self, finding: Finding) -> bool:
        """Whether this finding shows the signal."""
        if self.kinds and not any(fnmatchcase(finding.kind, kind) for kind in self.kinds):
            return False
        return not self.pattern or bool(self.compiled.search(f"{finding.statement}\n{finding.quote}"))


class Check(_Part):
    """Something to look at that would tell this playbook from others."""

    tool: Text
    why: Text
    args: Mapping[str, Any] = {}
    pick: str = ""  # RE2 over the recorded command lines: one call for each that fits

    @field_validator("pick")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return _checked(value)


class ComponentRule(_Part):
    """Who is to blame: the entity of the best finding of the first kind that has one.

    With `named_in_quote`, an RE2 pattern with one group, the entity is what the group catches in the quote of a log
    line or a command: a caller's line names the callee that failed. `placeholder` is what remediation calls it.
    """

    kinds: tuple[Text, ...]
    says: Text
    named_in_quote: str = ""
    placeholder: str = "<component>"

    @field_validator("named_in_quote")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return _checked(value)

    def blamed(self, findings: Iterable[Finding]) -> str:
        """The entity to blame among these findings, or "" where the rule finds nobody."""
        found = list(findings)
        for kind in self.kinds:
            fitting = sorted((f for f in found if fnmatchcase(f.kind, kind)), key=lambda f: -f.score)
            named = next((name for f in fitting if (name := self._name(f))), "")
            if named:
                return named
        return ""

    def _name(self, finding: Finding) -> str:
        if not self.named_in_quote or not finding.kind.startswith(SAID_BY_OTHERS):
            return finding.entity
        match = compile_pattern(self.named_in_quote).search(finding.quote)
        return str(match.group(1)) if match else ""


class Step(_Part):
    """One step of repair."""

    action: Text
    risk: Literal["low", "medium", "high"]
    rollback: Text
    verify: Text
    command: str | None = None


class LookAlike(_Part):
    """Another failure with the same face, and how to tell."""

    playbook: str | None = None
    name: Text
    tell: Text


class Playbook(_Part):
    """One kind of failure. `id` is the folder's name; `explains` is the sentence the answer starts from."""

    id: Text = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: Text
    category: Literal[CATEGORIES]  # type: ignore[valid-type]  # one list for reports and playbooks
    explains: Text
    also_called: tuple[Text, ...] = ()  # other vocabularies' words for it: an answer space may use them
    signals: tuple[Signal, ...] = Field(min_length=1)
    checks: tuple[Check, ...] = ()
    component: ComponentRule
    remediation: tuple[Step, ...] = ()
    look_alikes: tuple[LookAlike, ...] = ()

    def signals_in(self, findings: Iterable[Finding]) -> dict[str, Finding]:
        """Signal id -> the strongest finding that shows it."""
        found: dict[str, Finding] = {}
        for finding in findings:
            for signal in self.signals:
                best = found.get(signal.id)
                if (best is None or finding.score > best.score) and signal.seen_in(finding):
                    found[signal.id] = finding
        return found

    def score(self, findings: Iterable[Finding]) -> float:
        """0..1: noisy-or over the signals seen; each signal against multiplies what is left."""
        seen = self.signals_in(findings)
        doubt, held = 1.0, 1.0
        for signal in self.signals:
            if signal.id in seen and signal.against:
                held *= 1 - signal.weight
            elif signal.id in seen:
                doubt *= 1 - signal.weight
        return (1 - doubt) * held * self._essential(seen)

    def _essential(self, seen: Collection[str]) -> float:
        """What is left of the score where a signal that the playbook is about is not seen."""
        return WITHOUT_ESSENTIAL if any(s.essential and s.id not in seen for s in self.signals) else 1.0

    def fit(self, findings: Iterable[Finding]) -> float:
        """As `score`, but a signal that is seen in a weak finding counts half."""
        seen = self.signals_in(findings)
        doubt, held = 1.0, 1.0
        for signal in self.signals:
            if signal.id not in seen:
                continue
            strength = signal.weight * (LEAST_TRUST + (1 - LEAST_TRUST) * seen[signal.id].score)
            held, doubt = (held * (1 - strength), doubt) if signal.against else (held, doubt * (1 - strength))
        return (1 - doubt) * held * self._essential(seen)


@dataclass(frozen=True, slots=True)
class Match:
    """A playbook with how well it fits (0..1), and by signal the finding that shows it."""

    playbook: Playbook
    fit: float
    signals: Mapping[str, Finding]


def match(playbooks: Sequence[Playbook], findings: Sequence[Finding]) -> list[tuple[Playbook, float]]:
    """Playbooks that fit what was found, best first; those that fit nothing are left out."""
    scored = [(p, p.fit(findings)) for p in playbooks]
    return sorted(((p, s) for p, s in scored if s > 0), key=lambda pair: (-pair[1], pair[0].id))


def load_folder(folder: Path) -> tuple[Playbook, ...]:
    """Every playbook below `folder`. Raises `PlaybookError` with file and field for the first that does not fit."""
    return tuple(load(path) for path in sorted(folder.glob("*/playbook.yaml")))


def load(path: Path) -> Playbook:
    """One playbook from its `playbook.yaml`."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PlaybookError(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise PlaybookError(f"{path}: must be a mapping of fields")
    try:
        return Playbook(id=path.parent.name, **raw)
    except (ValidationError, TypeError) as error:
        raise PlaybookError(f"{path}: {_problem(error)}") from None


def front_matter(skill: Path) -> dict[str, Any]:
    """The YAML head of a `SKILL.md`. Raises `PlaybookError` where there is none."""
    try:
        text = skill.read_text(encoding="utf-8")
        _, head, _ = text.split("---\n", 2)
        value = yaml.safe_load(head)
    except (OSError, ValueError, yaml.YAMLError):
        raise PlaybookError(f"{skill}: must start with front matter between two lines of ---") from None
    return value if isinstance(value, dict) else {}


def examples(folder: Path) -> dict[str, tuple[Finding, ...]]:
    """The findings of `example.json` and `look_alike.json` beside a playbook."""
    found = {}
    for name in ("example", "look_alike"):
        path = folder / f"{name}.json"
        try:
            raw = orjson.loads(path.read_bytes())["findings"]
            found[name] = tuple(from_json(Finding, f) for f in raw)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PlaybookError(f"{path}: needs {{'findings': [...]}}: {error}") from None
    return found


EXAMPLE_FROM, LOOK_ALIKE_BELOW = 0.7, 0.5  # scores that tell a playbook's example from its look-alike


def check_folder(folder: Path) -> list[str]:
    """What is wrong with one playbook's folder, a line each; empty when it holds together."""
    try:
        playbook = load(folder / "playbook.yaml")
        head = front_matter(folder / "SKILL.md")
        found = examples(folder)
    except PlaybookError as error:
        return [str(error)]
    problems = []
    if head.get("name") != folder.name:
        problems.append(f"{folder / 'SKILL.md'}: name: must be {folder.name!r}")
    if not head.get("description"):
        problems.append(f"{folder / 'SKILL.md'}: description: missing")
    if (score := playbook.score(found["example"])) < EXAMPLE_FROM:
        problems.append(f"{folder / 'example.json'}: scores {score:.2f}, needs {EXAMPLE_FROM}")
    if (score := playbook.score(found["look_alike"])) >= LOOK_ALIKE_BELOW:
        problems.append(f"{folder / 'look_alike.json'}: scores {score:.2f}, must stay below {LOOK_ALIKE_BELOW}")
    return problems


def playbook_folders(parent: Path | None = None) -> dict[str, Path]:
    """Playbook id -> its folder: below `parent`, or of everything that is installed."""
    parents = [parent] if parent else [point.load()() for point in entry_points(group="fastagent.playbooks")]
    return {path.parent.name: path.parent for p in parents for path in sorted(p.glob("*/playbook.yaml"))}


def load_playbooks() -> tuple[Playbook, ...]:
    """Every playbook that installed packages offer under the entry point `fastagent.playbooks`."""
    return tuple(load(folder / "playbook.yaml") for folder in playbook_folders().values())


def _problem(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return str(error)
    problem = error.errors(include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
