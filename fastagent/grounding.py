"""Every quote is found verbatim in what a tool returned, or the claim is dropped.

White space and JSON escaping are folded before comparing; nothing else is forgiven. A quote shorter than six
characters proves nothing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from fastagent.state import Finding, Observation, Source

MIN_QUOTE_CHARS = 6
TELLING_FROM = 0.4  # the score of a finding that counts as a sign
SAME_TIME_S = 90.0  # signs closer than this are not told apart: scrapes and log lines come in rounds
_ALARMING = ("error", "critical")
_FOLD = re.compile(r"(?:\\[nrt]|[\s\"\\])+")


def fold(text: str) -> str:
    """Text with runs of white space, quote marks and backslashes folded to one space."""
    return _FOLD.sub(" ", text).strip()


def locate(quote: str, observations: Sequence[Observation], cited: str = "") -> Source | None:
    """Where the quote stands, looking first in the observation that was cited; None where it stands nowhere.

    A finding's quote wins over an excerpt, since it knows its line.
    """
    wanted = fold(quote)
    if len(wanted) < MIN_QUOTE_CHARS:
        return None
    order = sorted(observations, key=lambda o: o.id != cited.split(".", maxsplit=1)[0])
    for observation in order:
        for finding in observation.findings:
            if finding.quote and wanted in fold(finding.quote):
                return finding.source
    for observation in order:
        if wanted in fold(observation.text):
            return observation.source
    return None


def onsets(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """When each entity first showed something alarming, (time as it was told, entity), earliest first.

    Times without a zone are taken as UTC. What is weak, and what was there all along, is no sign of the trouble.
    """
    first: dict[str, tuple[datetime, str]] = {}
    for finding in findings:
        at = _moment(finding.time)
        if at and finding.entity and finding.severity in _ALARMING and finding.score >= TELLING_FROM:
            known = first.get(finding.entity)
            if known is None or at < known[0]:
                first[finding.entity] = (at, str(finding.time))
    ordered = sorted((at, told, entity) for entity, (at, told) in first.items())
    return [(told, entity) for _, told, entity in ordered]


def out_of_order(chain: Iterable[str], onsets: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The first (cause, effect) of a causal chain of which the effect was there first; None where its order can be.

    A link that opens with a time is as old as it says; another as the first sign of the entity that it names first.
    """
    dated = {entity: at for told, entity in onsets if (at := _moment(told))}
    before: tuple[datetime, str] | None = None
    for link in chain:
        at, name = _age(link, dated)
        if at is None:
            continue
        if before and (before[0] - at).total_seconds() > SAME_TIME_S:
            return before[1], name
        before = (at, name)
    return None


def _age(link: str, dated: Mapping[str, datetime]) -> tuple[datetime | None, str]:
    first, _, rest = link.partition(" ")
    if at := _moment(first):
        return at, rest
    places = {name: m.start() for name in dated if (m := re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", link))}
    name = min(places, key=places.__getitem__, default="")
    return dated.get(name), name


def _moment(time: str | None) -> datetime | None:
    try:
        at = datetime.fromisoformat(time) if time else None
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def known_entities(observations: Iterable[Observation], services: Iterable[str]) -> set[str]:
    """Lower-case names that the evidence or the incident knows."""
    named = {f.entity for o in observations for f in o.findings} | set(services)
    return {name.lower() for name in named if name}


def is_known(name: str, entities: set[str], observations: Iterable[Observation]) -> bool:
    """Whether an entity was seen: as somebody's name, or as a word in what the tools returned."""
    if name.lower() in entities:
        return True
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    return any(word.search(f"{f.quote} {f.statement}") for o in observations for f in o.findings) or any(
        word.search(o.text) for o in observations
    )
