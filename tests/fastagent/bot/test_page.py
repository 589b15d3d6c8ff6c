from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastagent.bot import page
from fastagent.bot.queue import Entry
from fastagent.report.html import shown
from tests.fastagent.bot.bot_parts import alert

TURN = {
    "number": 1, "node": "plan", "tier": "ultrafast", "start_s": 0.1, "ttft_s": 0.05, "decode_s": 0.4, "wall_s": 0.5,
    "input_tokens": 12_754, "cached_tokens": 0, "output_tokens": 350, "tools": ["read_logs", "read_logs"],
    "cumulative_s": 0.6,
}  # fmt: skip
CAUSE = {
    "component": "db-1", "category": "resource_exhaustion", "statement": "db-1 has a full disk.", "confidence": 0.9,
    "verdict": "CONFIRMED", "label": "disk-full",
}  # fmt: skip
STEP = {"action": "Free space", "command": "df -h", "risk": "low", "rollback": "none needed", "verify": "df shows room"}


def report(**more: Any) -> dict[str, Any]:
    return {
        "status": "complete", "answered_by": "emulator:evidence", "incident": {"started_at": "2026-01-02T03:04:05Z"},
        "root_cause": CAUSE, "ranking": [{"component": "db-1", "score": 0.9}, {"component": "web", "score": 0.1}],
        "evidence": [{"claim": "disk full", "quote": "ERROR no space", "source": {"file": "logs/db.log", "line": 31}}],
        "causal_chain": ["disk fills", "writes fail"], "remediation": [STEP], "gaps": [{"source": "x", "reason": "absent"}],
        "timing": {"turns": [TURN], "wall_s": 1.0, "queued_s": 0.2, "sla_s": 30.0, "by_kind": {"tool": 0.5}},
        **more,
    }  # fmt: skip


def entry(**more: Any) -> Entry:
    made = Entry("i1", "Disk full", "", (alert(),), "done", 100.0, 101.0, 102.5, 1, report(), None)
    return replace(made, **more)


class Balanced(HTMLParser):
    """Fails on scripts, handlers and elements that are not closed; gathers the text."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open, self.text = list[str](), ""
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "img", "iframe", "object", "link")
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    "words",
    [
        "db-1 has a full disk.", "resource_exhaustion", "CONFIRMED 0.90", "ERROR no space", "logs/db.log:31", "writes fail",
        "df shows room", "x: absent", "12,754", "read_logs ×2", "0.50 s", "SLA 30.0 s kept", "tool 0.50 s (50%)", "2.50 s",
        "delivery sent", "web 0.10",
    ],
)  # fmt: skip
def test_an_incident_shows_cause_quotes_steps_gaps_and_the_turn_table(words: str) -> None:
    assert words in Balanced(page.incident(entry(), "sent")).text


def test_the_list_leads_to_each_incident_and_says_what_was_found() -> None:
    document = page.listing([entry(), entry(id="i2", report=report(root_cause=None))])
    assert 'href="/incidents/i1"' in document
    text = Balanced(document).text
    assert "db-1" in text
    assert "nothing is wrong" in text
    assert "No alert" in Balanced(page.listing([])).text


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"state": "queued", "report": None, "ended_at": None}, "on its way"),
        ({"state": "failed", "report": None, "error": "no such file"}, "no such file"),
        ({"report": report(root_cause=None)}, "Nothing is wrong"),
        ({"report": report(root_cause=None, status="partial")}, "No answer was found"),
        ({"report": report(status="partial")}, "partial"),
        ({"report": report(timing={})}, "db-1"),
    ],
)
def test_every_outcome_has_its_words(more: dict[str, Any], words: str) -> None:
    assert words in Balanced(page.incident(entry(**more), "")).text


def test_a_page_looks_again_only_while_an_answer_is_to_come() -> None:
    assert "refresh" in page.incident(entry(state="running", report=None), "")
    assert "refresh" not in page.incident(entry(), "")


NASTY = "</td><script>alert(1)</script><img src=x onerror=y>\"'&\x1b[31m\u202e"


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    nasty = report(
        root_cause={**CAUSE, "statement": NASTY, "component": NASTY, "label": NASTY},
        evidence=[{"claim": NASTY, "quote": f"{NASTY}\n{NASTY}", "source": {"command": NASTY}}],
        causal_chain=[NASTY], remediation=[{**STEP, "command": NASTY}], notes=[NASTY],
        timing={"turns": [{**TURN, "node": NASTY}], "wall_s": 1.0},
    )  # fmt: skip
    bad = entry(id='"><b>', title=NASTY, report=nasty, error=None, alerts=(alert(NASTY, labels={NASTY: NASTY}),))
    for document in (page.incident(bad, NASTY), page.listing([bad])):
        text = Balanced(document).text
        assert "<script>alert(1)</script>" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


@given(st.text())
def test_no_text_is_markup(text: str) -> None:
    assert not {"<", ">", '"'} & set(shown(text))
