"""Questions about a report: answered from it where it knows, left alone where it does not."""

from typing import Any

import pytest

from fastagent.followup import answer, continued
from fastagent.state import Incident

REPORT: dict[str, Any] = {
    "incident": {"title": "checkout fails", "onset": "2026-01-01T10:01:00Z", "started_at": "2026-01-01T10:05:00Z"},
    "root_cause": {"component": "batch", "statement": "batch holds all sessions", "confidence": 0.9},
    "ranking": [
        {"component": "batch", "score": 0.9},
        {"component": "web", "score": 0.2},
        {"component": "web-db", "score": 0.1},
    ],
    "evidence": [
        {"claim": "batch holds 25 of 28", "quote": "batch | 25", "source": {"command": "psql"}},
        {"claim": "web is refused", "quote": "web FATAL", "source": {"file": "logs/web.log", "line": 3}},
    ],
    "causal_chain": ["10:01 batch opens sessions", "10:05 web is refused"],
    "ruled_out": ["A slow network: web answers at once"],
    "gaps": [{"source": "metrics/x.csv", "reason": "unreadable"}],
    "hypotheses": [{"statement": "sessions leak", "belief": 0.9, "verdict": "supported"}],
    "change": {"kind": "commit", "commit": "none", "why": "none is near"},
    "remediation": [{"action": "restart batch", "risk": "low", "verify": "slots", "rollback": "none", "command": "x"}],
}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When did it begin?", "10:01"),
        ("what changed?", "None of the recorded changes"),
        ("What should I do?", "1. restart batch (risk low): x"),
        ("how do you know that?", "batch holds 25 of 28"),
        ("what did you not see", "metrics/x.csv: unreadable"),
        ("could it be something else?", "sessions leak (belief 0.9, supported)"),
        ("why not web?", "web stands at place 2 of 3"),
        ("what about WEB-DB", "web-db stands at place 3 of 3"),
        ("is it batch?", "batch is what the report blames"),
    ],
)
def test_what_the_report_knows_is_answered_from_it(question: str, words: str) -> None:
    told = answer(REPORT, question)
    assert told is not None
    assert any(words in line for line in told.lines)


def test_what_was_seen_of_a_service_comes_with_its_quotes() -> None:
    told = answer(REPORT, "what about web?")
    assert told is not None
    assert [e["quote"] for e in told.evidence] == ["web FATAL"]
    assert "A slow network: web answers at once" in told.lines


@pytest.mark.parametrize("question", ["is the moon full?", "which disk is slow", ""])
def test_what_it_does_not_know_it_leaves_to_a_new_look(question: str) -> None:
    assert answer(REPORT, question) is None


@pytest.mark.parametrize(
    "report", [{}, {"ranking": 3, "evidence": [1], "gaps": None, "remediation": {}, "change": None}]
)
def test_a_report_of_any_shape_is_survived(report: dict[str, Any]) -> None:
    for question in ("when?", "what changed", "what should I do", "evidence", "missing", "else", "web"):
        answer(report, question)


def test_a_new_look_knows_what_was_found() -> None:
    incident = continued(REPORT, "which disk is slow?", Incident("checkout fails", context="it is night"))
    assert incident.title == "which disk is slow?"
    assert all(word in incident.context for word in ("it is night", "checkout fails", "batch holds all sessions"))
    assert continued(None, "why?", Incident("x")).title == "why?"
