"""The tool `log_overview`: what stands out in all the logs."""

from collections.abc import Sequence

from fastagent.state import Finding, Observation, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.logs.analysis import Analysis, analyse, analysis_of
from fastagent_tools.logs.corpus import Corpus, corpus_of
from fastagent_tools.logs.digest import MAX_FINDINGS, finding, report
from fastagent_tools.logs.silence import fallen_silent
from fastagent_tools.logs.steps import failing_steps
from fastagent_tools.logs.window import choose
from fastagent_tools.text.coverage import ends_before
from fastagent_tools.text.quote import shorten

MAX_SUMMARY, MAX_TEXT = 400, 2_500


@tool(expect_s=0.6, opening={})
def log_overview(scope: Scope, service: str = "", since: str = "", until: str = "") -> Observation:
    """What stands out in the logs: new errors, bursts, faults named by their words, ranked with reasons.

    `service` narrows to one service. `since` and `until` are times like 2026-12-01T05:40:00Z, or 15m for the last
    15 minutes of the logs.
    """
    corpus = corpus_of(scope)
    if not corpus.files:
        return Observation("No logs here.", gaps=corpus.gaps)
    whole = not (service or since or until)
    found = (
        analysis_of(scope)
        if whole
        else analyse(corpus, choose(corpus, service, since, until), scope.incident.started_at)
    )
    if corpus.events and not found.events:
        return Observation("No line of these logs lies in the time that was asked for.", gaps=corpus.gaps)
    shown = [finding(corpus, r) for r in found.ranked[:MAX_FINDINGS]]
    return Observation(
        summary=shorten(_summary(corpus, found, shown), MAX_SUMMARY),
        findings=(*shown, *_beside(corpus, found, whole=whole), *(_reach(scope, found) if whole else ())),
        text=_text(found),
        left_out=shorten("; ".join([*corpus.left_out, *_more(found)]), 600),
        examined=corpus.lines if whole else sum(e.lines for e in found.events),
        gaps=corpus.gaps,
        report={"logs": report(corpus, found)} if whole else {},
        source=Source(file=shown[0].source.file) if shown else Source(),
    )


def _beside(corpus: Corpus, found: Analysis, *, whole: bool) -> tuple[Finding, ...]:
    """What no single line says: the step that ended a job, who has fallen silent."""
    if found.ci:
        return failing_steps(corpus)
    return fallen_silent(corpus) if whole else ()


def _reach(scope: Scope, found: Analysis) -> tuple[Finding, ...]:
    return ends_before("logs", found.span.end_s if found.span else None, scope.incident.started_at)


def _summary(corpus: Corpus, found: Analysis, shown: Sequence[Finding]) -> str:
    files = f"{len(corpus.files)} file{'s' * (len(corpus.files) != 1)}"
    kinds = f"{len(found.groups)} kinds of messages"
    if not shown:
        return f"{corpus.lines} lines of {files}, {kinds}: no warning, error or known fault among them."
    first = shown[0]
    where = f" in {first.entity}" if first.entity else ""
    return f"{corpus.lines} lines of {files}, {kinds}, worst {found.severity}. First{where}: {first.statement}"


def _text(found: Analysis) -> str:
    """The most frequent messages: what normal looks like here."""
    frequent = sorted(found.groups, key=lambda g: -g.count)[:10]
    lines = [f"{g.count:>7} x {g.level or '-':<8} {g.service}: {shorten(g.template, 180)}" for g in frequent]
    return "\n".join(["most frequent:", *lines])[:MAX_TEXT]


def _more(found: Analysis) -> list[str]:
    rest = len(found.ranked) - MAX_FINDINGS
    return [f"{rest} more kinds of warnings and errors of lower rank (search_logs finds them)"] if rest > 0 else []
