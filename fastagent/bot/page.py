"""The bot's two pages: what came in, and what became of one incident."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fastagent.alerts import Alert
from fastagent.bot.latency import latency
from fastagent.bot.queue import Entry
from fastagent.report.html import Html, joined, lines, page, shown, table, tag
from fastagent.report.text import seconds

REFRESH_S = 2  # while an answer is to come
MAX_EVIDENCE = 20
NOTHING = Html("")


def listing(entries: Sequence[Entry]) -> str:
    """All incidents, the newest first."""
    heads = [("received", ""), ("incident", ""), ("state", ""), ("root cause", ""), ("verdict", ""), ("took", "n")]
    body = table(heads, (_row(e) for e in entries)) if entries else tag("p", shown("No alert has come in yet."))
    busy = any(e.state in ("queued", "running") for e in entries)
    return page("Incidents", tag("h1", shown("Incidents")), body, refresh_s=REFRESH_S if busy else 0)


def _row(entry: Entry) -> list[Html]:
    cause = _cause(entry)
    component = cause.get("component") or ("nothing is wrong" if _is_calm(entry) else "")
    return [
        tag("span", shown(_time(entry.received_at)), class_="quiet"),
        tag("a", shown(entry.title), href=f"/incidents/{entry.id}"),
        _state(entry),
        shown(component),
        shown(f"{cause['verdict']} {cause['confidence']:.2f}" if cause else ""),
        shown(_took(entry)),
    ]


def incident(entry: Entry, delivery: str) -> str:
    """One incident: its answer first, then what the answer rests on, then where the time went."""
    report = entry.report or {}
    parts = [
        tag("p", tag("a", shown("all incidents"), href="/"), class_="small quiet"),
        tag("h1", shown(entry.title)),
        _facts(entry, report, delivery),
        _answer(entry, report),
        _section("Why", _list("ol", report.get("causal_chain", ()))),
        _section("Evidence", _evidence(report.get("evidence", ()))),
        _section("Proposed, never run by the bot", _remediation(report.get("remediation", ()))),
        _section("Also weighed", _ranking(report.get("ranking", ()))),
        _section("Ruled out", _list("ul", report.get("ruled_out", ()))),
        _section("Not seen", _list("ul", (f"{g['source']}: {g['reason']}" for g in report.get("gaps", ())))),
        _section("Where the time went", latency(report.get("timing", {}))),
        _section("Notes", _list("ul", report.get("notes", ()))),
        _section("Alerts", _alerts(entry)),
    ]
    busy = entry.state in ("queued", "running")
    return page(entry.title, *parts, refresh_s=REFRESH_S if busy else 0)


def _facts(entry: Entry, report: Mapping[str, Any], delivery: str) -> Html:
    told = report.get("incident", {})
    facts = [
        ("received", _time(entry.received_at)),
        ("began", told.get("started_at", "")),
        ("first sign", told.get("onset", "")),
        ("answered after", _took(entry)),
        ("by", report.get("answered_by", "")),
        ("evidence", entry.bundle),
        ("delivery", delivery),
    ]
    words = [joined([tag("span", shown(k), class_="quiet"), shown(v)], " ") for k, v in facts if v]
    return tag("p", joined([_state(entry), *words], " · "), class_="small")


def _answer(entry: Entry, report: Mapping[str, Any]) -> Html:
    if entry.error:
        return tag("p", tag("strong", shown("The investigation failed. "), class_="bad"), shown(entry.error))
    if not report:
        return tag("p", shown("The answer is on its way; this page looks for it every other second."))
    cause = _cause(entry)
    if not cause:
        words = "Nothing is wrong, as far as the evidence goes." if _is_calm(entry) else "No answer was found."
        return tag("p", shown(words), class_="cause")
    head = joined([tag("strong", shown(cause["component"] or "unknown")), _tag(cause["category"])], " ")
    sure = _tag(f"{cause['verdict']} {cause['confidence']:.2f}")
    playbook = _tag(f"playbook {cause['label']}") if cause.get("label") else NOTHING
    partial = tag("span", _tag("partial"), class_="bad") if report.get("status") == "partial" else NOTHING
    marks = joined([part for part in (head, sure, playbook, partial) if part], " ")
    return tag("div", tag("p", marks), tag("p", shown(cause["statement"])), class_="cause")


def _evidence(items: Sequence[Mapping[str, Any]]) -> Html:
    return tag("ol", *(_quote(item) for item in items[:MAX_EVIDENCE])) if items else NOTHING


def _quote(item: Mapping[str, Any]) -> Html:
    source = item.get("source", {})
    where = next((source[k] for k in ("file", "command", "metric", "query", "url") if source.get(k)), "")
    place = f"{where}:{source['line']}" if source.get("file") and source.get("line") else where
    return tag(
        "li", shown(item.get("claim", "")), tag("pre", lines(item.get("quote", ""))),
        tag("span", shown(place), class_="small quiet"),
    )  # fmt: skip


def _remediation(steps: Sequence[Mapping[str, Any]]) -> Html:
    return tag("ol", *map(_step, steps)) if steps else NOTHING


def _step(step: Mapping[str, Any]) -> Html:
    command = tag("pre", lines(step["command"])) if step.get("command") else NOTHING
    words = joined([shown(step.get("action", "")), _tag(f"risk {step.get('risk', '?')}")], " ")
    after = [("verify: ", step.get("verify")), ("roll back: ", step.get("rollback"))]
    told = (tag("div", shown(name + said), class_="small quiet") for name, said in after if said)
    return tag("li", words, command, *told)


def _ranking(candidates: Sequence[Mapping[str, Any]]) -> Html:
    if len(candidates) < 2:
        return NOTHING
    words = (f"{c['component']} {c['score']:.2f}" for c in candidates[:8])
    return tag("p", shown(" · ".join(words)))


def _alerts(entry: Entry) -> Html:
    heads = [("alert", ""), ("from", ""), ("severity", ""), ("since", ""), ("labels", "")]
    return table(heads, map(_alert, entry.alerts))


def _alert(alert: Alert) -> list[Html]:
    notes = tag("div", shown("; ".join(alert.notes)), class_="small bad") if alert.notes else NOTHING
    labels = ", ".join(f"{name}={value}" for name, value in alert.labels.items())
    return [
        joined([shown(alert.title), notes]),
        shown(alert.source),
        shown(alert.severity),
        shown(alert.started_at or "not said"),
        tag("span", shown(labels), class_="small quiet"),
    ]


def _section(title: str, body: Html) -> Html:
    return joined([tag("h2", shown(title)), body]) if body else NOTHING


def _list(kind: str, items: Iterable[object]) -> Html:
    listed = [tag("li", shown(item)) for item in items]
    return tag(kind, *listed) if listed else NOTHING


def _tag(text: str) -> Html:
    return tag("span", shown(text), class_="tag")


def _state(entry: Entry) -> Html:
    colour = {"done": "good", "failed": "bad"}.get(entry.state, "quiet")
    return tag("span", shown(entry.state), class_=f"tag {colour}")


def _cause(entry: Entry) -> Mapping[str, Any]:
    return (entry.report or {}).get("root_cause") or {}


def _is_calm(entry: Entry) -> bool:
    report = entry.report or {}
    return report.get("status") == "complete" and not report.get("root_cause")


def _took(entry: Entry) -> str:
    return seconds(entry.ended_at - entry.received_at) if entry.ended_at is not None else ""


def _time(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
