"""The result of a run as one HTML page: what was right, how surely, how fast, and each case."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastagent.evaluation.comparison import Comparison
from fastagent.evaluation.judging import Verdict
from fastagent.evaluation.measures import Share, Summary
from fastagent.report.html import STYLE, Html, shown, tag

Row = tuple[str, Mapping[str, Any], Verdict]  # case, report, verdict


def page(title: str, found: Summary, rows: Sequence[Row], compared: Comparison | None = None) -> str:
    """The page, in one piece: it needs no other file."""
    body = tag(
        "body",
        tag("h1", shown(title)),
        _summary(found),
        *([_comparison(compared)] if compared else []),
        tag("h2", shown(f"{len(rows)} cases")),
        tag("div", _cases(rows), class_="scroll"),
    )
    head = f'<meta charset="utf-8"><title>{shown(title)}</title><style>{STYLE}</style>'
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"<!doctype html>\n<html lang=en><head>{head}{view}</head>{body}</html>\n"


def _summary(found: Summary) -> Html:
    statuses = ", ".join(f"{n} {status}" for status, n in sorted(found.statuses.items()))
    rows = [
        *((f"{part} right", share) for part, share in found.parts.items()),
        ("answered", found.answered),
        ("quotes verbatim", found.quotes),
        *((f"{name}: right", share) for name, share in found.verdicts.items()),
        ("surely wrong", found.surely_wrong),
    ]
    times = f"wall p50 {found.wall_p50_s:.2f} s, p95 {found.wall_p95_s:.2f} s; {statuses}; "
    tokens = f"{found.tokens_in:,} tokens in, {found.tokens_out:,} out"
    return Html(
        _table(("measure", "share", "of", "95 %"), [_share(n, s) for n, s in rows]) + tag("p", shown(times + tokens))
    )


def _share(name: str, share: Share) -> Html:
    low, high = share.interval
    cells = (f"{share.value:.2f}", f"{share.hits} of {share.of}", f"{low:.2f} … {high:.2f}")
    return tag("tr", tag("td", shown(name)), *(tag("td", shown(c), class_="n") for c in cells))


def _comparison(compared: Comparison) -> Html:
    lines = (
        f"The same verdict in {compared.same}; less sure or another answer in {compared.weaker}.",
        f"{len(compared.better)} better: {', '.join(compared.better) or '–'}.",
        f"{len(compared.worse)} worse: {', '.join(compared.worse) or '–'}.",
        f"Chance alone splits them so with p = {compared.p_value:.3f}.",
    )
    return Html(tag("h2", shown("Compared")) + "".join(tag("p", shown(line)) for line in lines))


def _cases(rows: Sequence[Row]) -> Html:
    return _table(("case", "", "answer", "confidence", "wall"), [_case(*row) for row in rows])


def _case(name: str, report: Mapping[str, Any], verdict: Verdict) -> Html:
    cause = report.get("root_cause") or {}
    mark, style = {True: ("right", "good"), False: ("wrong", "bad"), None: ("", "quiet")}[verdict.right]
    said = " · ".join(str(cause.get(k)) for k in ("component", "category", "label") if cause.get(k))
    told = tag(
        "td",
        tag("div", shown(said or "nothing wrong")),
        tag("div", shown(cause.get("statement") or ""), class_="small quiet"),
    )
    sure = f"{cause.get('verdict', '')} {float(cause.get('confidence') or 0):.2f}" if cause else ""
    wall = f"{float((report.get('timing') or {}).get('wall_s') or 0):.2f} s"
    parts = tag("td", tag("div", shown(mark), class_=style), tag("div", shown(verdict), class_="small quiet"))
    return tag("tr", tag("td", shown(name)), parts, told, tag("td", shown(sure)), tag("td", shown(wall), class_="n"))


def _table(head: Sequence[str], rows: Sequence[Html]) -> Html:
    return tag("table", tag("tr", *(tag("th", shown(h)) for h in head)), *rows)
