"""The report as Markdown, for tickets and chat."""

from collections.abc import Iterable, Iterator

from fastagent.report.text import change_of, clean, seconds
from fastagent.state import Report

_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|!"})


def render(report: Report) -> str:
    """Markdown in which no text from the evidence can act as markup."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    cause = report.root_cause
    yield f"## {_safe(str(report.incident['title']))}"
    yield ""
    if cause is None:
        yield f"**No fault found in what was read** ({report.status})."
    else:
        yield f"**{_safe(cause.component or 'unknown')}** · {cause.category} · {cause.verdict} {cause.confidence:.2f}"
        yield ""
        yield _safe(cause.statement)
    evidence = (f"{_code(e.quote)} ({_code(str(e.source))}): {_safe(e.claim)}" for e in report.evidence)
    yield from _section("Evidence", evidence)
    yield from _section("Change", [_safe(told)] if (told := change_of(report)) else [])
    yield from _section("Causal chain", map(_safe, report.causal_chain))
    yield from _section("Ruled out", map(_safe, report.ruled_out))
    yield from _section("Not seen", (f"{_safe(g.source)}: {g.reason}" for g in report.gaps))
    yield from _section("Next steps", (_step(r.action, r.command, r.risk, r.verify) for r in report.remediation))
    yield from _section("On the way", map(_safe, report.notes))
    yield ""
    yield _timing(report)


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    found = list(items)
    if found:
        yield from ("", f"### {title}", "", *(f"- {item}" for item in found))


def _step(action: str, command: str | None, risk: str, verify: str) -> str:
    run = f" {_code(command)}" if command else ""
    return f"{_safe(action)} (risk {risk}):{run} Verify: {_safe(verify)}"


def _timing(report: Report) -> str:
    t = report.timing
    tiers = ", ".join(f"{tier} {seconds(s)}" for tier, s in t["emulated_s"].items())
    turns = report.usage["model_calls"]
    costs = f"; the same loop costs {tiers}" if tiers else ""
    return f"_{seconds(t['wall_s'])} of {seconds(t['sla_s'])}, {turns} turns, by {_safe(report.answered_by)}{costs}_"


def _safe(text: str) -> str:
    return clean(text).translate(_SPECIAL)


def _code(text: str) -> str:
    """Inline code whose fence is longer than any run of backticks inside."""
    inside = clean(text)
    fence = "`"
    while fence in inside:
        fence += "`"
    pad = " " if inside[:1] == "`" or inside[-1:] == "`" else ""
    return f"{fence}{pad}{inside}{pad}{fence}"
