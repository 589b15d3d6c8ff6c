"""What fails, as far as changes may have to do with it: since when, where, in which words and lines of code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fastagent.toolbox import Scope
from fastagent_tools.cloud.status import degraded
from fastagent_tools.logs.analysis import analysis_of
from fastagent_tools.logs.corpus import corpus_of
from fastagent_tools.logs.novelty import Ranked
from fastagent_tools.metrics.load import metrics_of
from fastagent_tools.metrics.overview import changes_of as metric_changes
from fastagent_tools.text.times import Clock

TELLING_FROM = 0.5  # a log line's score
LEAST_CODE_CHARS, STACK_LINES = 12, 60
LOGS_LOOKED_AT = 12
_NAMED = re.compile(
    r"""['"`]([A-Za-z_][\w.-]{2,40})['"`]"""
    r"|\b(?:field|column|table|relation|key|flag|variable|module|package|function|method|class|parameter|option|setting"
    r"|header|topic|queue|bucket|proto|library) ([A-Za-z_][\w.-]{2,40})",
    re.IGNORECASE,
)
_INFRASTRUCTURE = re.compile(
    r"\bnode\b|kubelet|noisy neighbou?r|evict|throttl|availability zone|\baz\b|provider|third[- ]party"
    r"|certificate.{0,20}expir|disk (is )?full|no space left|hardware|dns|quota|rate limit|traffic (spike|surge)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What fails: since when, where, in which words."""

    onset_s: float | None
    entities: frozenset[str]
    text: str
    code: frozenset[str] = frozenset()  # lines of code that stack traces show
    logged: str = ""  # of the text, what logs say


def trouble_of(scope: Scope) -> Trouble:
    """What fails, from alerts, metrics and logs."""
    ranked = analysis_of(scope).ranked[:LOGS_LOOKED_AT]
    moved = metric_changes(scope, metrics_of(scope))[:LOGS_LOOKED_AT]
    times = [c.onset_s for _, c in moved if c.kind in ("errors", "availability", "latency")]
    times += [r.group.first.stamp.at_s for r in ranked if r.group.first.stamp and r.score >= TELLING_FROM]
    started = Clock(1970).read(scope.incident.started_at or "")
    onset_s = min(times, default=started.at_s if started else None)
    said = [scope.incident.title, scope.incident.context, *map(str, scope.incident.alerts)]
    said += [f"provider: {f.statement}" for f in degraded(scope)]
    logged = "\n".join(r.group.first.message for r in ranked)
    text = " ".join([*said, logged, *(c.series.metric for _, c in moved)])
    entities = {r.group.service for r in ranked[:3]} | {c.series.entity for _, c in moved[:3]}
    return Trouble(onset_s, frozenset(entities), text, frozenset(_code(scope, ranked)), logged)


def _code(scope: Scope, ranked: Sequence[Ranked]) -> Iterator[str]:
    """Lines of the stack traces among these, without the space around them."""
    corpus = corpus_of(scope)
    for event in (r.group.first for r in ranked):
        if event.stack or event.lines > 1:
            for number in range(event.line + 1, event.line + min(event.lines, STACK_LINES)):
                line = corpus.files[event.file].raw(number).strip()
                if len(line) >= LEAST_CODE_CHARS and not line.startswith(("File ", "at ", "Traceback", "^", "~")):
                    yield line


def infrastructure(trouble: Trouble) -> str:
    """Words that say that the ground gave way and no change of the services did it; "" where there are none."""
    found = _INFRASTRUCTURE.search(trouble.text)
    return found[0] if found else ""


@lru_cache(maxsize=64)
def named_in(logged: str) -> frozenset[str]:
    """Names that failing messages put in quotes, or behind what kind of thing they are."""
    return frozenset((m[1] or m[2]).lower() for m in _NAMED.finditer(logged))
