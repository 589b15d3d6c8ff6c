"""The tool `trace_overview`: where errors begin, where time is lost between services, which calls no longer come."""

from fastagent.state import Finding, Observation, Severity, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.text.quote import quote, shorten
from fastagent_tools.text.times import Stamp, iso
from fastagent_tools.traces.gaps import Wait, waits
from fastagent_tools.traces.load import traces_of
from fastagent_tools.traces.missing import Missing, missing
from fastagent_tools.traces.origin import Origin, origins
from fastagent_tools.traces.span import Span

MOST_OF_A_KIND = 3
WAIT_SCORE, ORIGIN_SCORE, MISSING_SCORE = 0.8, 0.7, 0.6  # how decisive each kind is (docs/reasoner.md)


@tool(expect_s=0.3, opening={})
def trace_overview(scope: Scope) -> Observation:
    """What the traces show: entities in which errors begin, calls that lose time on the way, calls that stopped."""
    traces, gaps = traces_of(scope)
    if not traces.spans:
        return Observation("No traces are recorded.", gaps=gaps)
    findings = findings_of(scope)
    said = f"{findings[0].statement}." if findings else "no error begins in them and no time is lost between services."
    count = len({s.trace for s in traces.spans})
    return Observation(
        f"{len(traces.spans)} spans of {count} traces, {len(traces.normal)} from normal times: {said}",
        tuple(findings),
        examined=len(traces.spans),
        gaps=gaps,
    )


def findings_of(scope: Scope) -> list[Finding]:
    """What the traces show, most telling first."""
    traces, _ = traces_of(scope)
    findings = [_lost(w) for w in waits(traces)[:MOST_OF_A_KIND]]
    findings += [_begins(o, len(traces.issue)) for o in origins(traces)[:MOST_OF_A_KIND]]
    findings += [_stopped(m) for m in missing(traces)[:MOST_OF_A_KIND]]
    return sorted(findings, key=lambda f: -f.score)


def _lost(wait: Wait) -> Finding:
    return _finding(
        "trace.network_gap",
        f"{wait.callee}: callers wait {wait.seconds:.2f} s longer than it works,"
        f" normally {max(0.0, wait.normal_s):.3f} s",
        wait.callee,
        wait.worst,
        WAIT_SCORE,
        f"lower quartile of {wait.pairs} calls; the time is lost between caller and callee",
    )


def _begins(origin: Origin, spans: int) -> Finding:
    said = shorten(origin.example.error, 120)
    return _finding(
        "trace.error_origin",
        f"{origin.entity}: {origin.count} errors begin in it ({origin.example.name}: {said})",
        origin.entity,
        origin.example,
        ORIGIN_SCORE,
        f"nothing it called failed; {origin.before:.0f} of {spans} spans would be usual",
    )


def _stopped(gone: Missing) -> Finding:
    return _finding(
        "trace.calls_missing",
        f"{gone.entity}: {gone.operation} returned without calling {shorten(', '.join(gone.callees), 120)}",
        gone.entity,
        gone.example,
        round(MISSING_SCORE * (0.5 + gone.share / 2), 3),
        f"{gone.count} times, {gone.share:.0%} of its spans",
    )


def _finding(kind: str, statement: str, entity: str, span: Span, score: float, reason: str) -> Finding:
    severity: Severity = "error" if score >= MISSING_SCORE else "warning"
    return Finding(
        kind=kind,
        statement=statement,
        severity=severity,
        entity=entity,
        time=iso(Stamp(span.start_s, zoned=True)),
        quote=quote(span.sheet.lines[span.row]),
        source=Source(file=span.sheet.path, line=span.sheet.first + span.row),
        score=score,
        reason=reason,
    )
