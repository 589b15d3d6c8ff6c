"""The tool `request_habits`: which service does something else in a request than it used to."""

from threading import Lock

from fastagent.state import Finding, Observation, Severity, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.habits.breaks import Break, breaks
from fastagent_tools.habits.visits import Visits, visits_of
from fastagent_tools.logs.corpus import Corpus, corpus_of
from fastagent_tools.logs.events import Event
from fastagent_tools.text.quote import quote, shorten
from fastagent_tools.text.times import Stamp, iso
from fastagent_tools.traces.span import Span

MOST = 6
TOP_SCORE = 0.72  # below what a full processor and a slow network say of themselves (docs/reasoner.md)
HALF_G = 6.0  # a G of which half the score is given: as much as chance reaches in one of some hundred steps
ALARMING_FROM = 0.4
LEAST_COMPLAINTS = 2
_LOCK = Lock()


@tool(expect_s=0.3, opening={})
def request_habits(scope: Scope) -> Observation:
    """Which services do something else in a request than in good times: steps that stopped, errors that came."""
    findings = findings_of(scope)
    if not findings:
        return Observation("No service does anything else in its requests than before, as far as logs with ids show.")
    return Observation(f"{len(findings)} services changed their habits. {findings[0].statement}.", tuple(findings))


def findings_of(scope: Scope) -> list[Finding]:
    """The most telling change of each service, worst first."""
    with _LOCK:
        if "habits" not in scope.memo:
            visits, corpus = visits_of(scope), corpus_of(scope)
            scope.memo["habits"] = [_finding(b, visits, corpus) for b in breaks(visits)[:MOST]]
    found: list[Finding] = scope.memo["habits"]
    return found


def _finding(found: Break, visits: Visits, corpus: Corpus) -> Finding:
    score = round(TOP_SCORE * found.g / (found.g + HALF_G), 3)
    complaint = _complaint(found, visits)
    cited, source, time = _cited(
        visits.shown[found.service, complaint, True] if complaint else _shown(found, visits), corpus
    )
    severity: Severity = "error" if score >= ALARMING_FROM else "warning"
    return Finding(
        kind=f"habit.{_kind(found, complaint, visits)}",
        statement=_statement(found, complaint, cited),
        severity=severity,
        entity=found.service,
        time=time,
        quote=cited,
        source=source,
        score=score,
        reason=f"of all that its requests do, this changed most (G {found.g:.0f})",
    )


def _complaint(found: Break, visits: Visits) -> str:
    """An error that the service's own code came to and never did before, the most frequent; "" where there is none.

    Whoever gets a wrong value says so where it is checked; after an exception there is nothing left to check.
    """
    came = {
        step: since
        for service, step in visits.failures - visits.exceptions
        if service == found.service
        for before, since in [visits.count(service, step)]
        if not before and since >= LEAST_COMPLAINTS
    }
    return max(sorted(came), key=came.__getitem__, default="")


def _kind(found: Break, complaint: str, visits: Visits) -> str:
    """complaint: it came to an error of its own; broken_off: what belongs to its requests is missing; else new."""
    if complaint:
        return "complaint"
    if found.stopped or (found.service, found.step) in visits.exceptions:
        return "broken_off"
    return "new"


def _statement(found: Break, complaint: str, cited: str) -> str:
    step, anchor = shorten(found.step, 60), shorten(found.anchor, 60)
    now, then = f"{found.since} of {found.of_since} requests", f"{found.before} of {found.of_before} before"
    said = f"{found.service}: {step} follows {anchor} in {now}, {then}"
    return f"{said}; it complains: {_own_words(complaint, cited)}" if complaint else said


def _own_words(complaint: str, cited: str) -> str:
    """What a line says behind its place in the code, else the line's end."""
    at = cited.find(complaint)
    return shorten(cited[at + len(complaint) :] if at >= 0 else cited, 160).strip(' \\n"{}')


def _shown(found: Break, visits: Visits) -> Event | Span:
    """The step since the trouble, if it came; else the anchor that it no longer follows."""
    key = (found.service, found.anchor if found.stopped else found.step, True)
    return visits.shown[key]


def _cited(seen: Event | Span, corpus: Corpus) -> tuple[str, Source, str | None]:
    if isinstance(seen, Span):
        source = Source(file=seen.sheet.path, line=seen.sheet.first + seen.row)
        return quote(seen.sheet.lines[seen.row]), source, iso(Stamp(seen.start_s, zoned=True))
    file = corpus.files[seen.file]
    source = Source(file=file.path, line=file.number(seen.line))
    return quote(file.raw(seen.line)), source, iso(seen.stamp)
