"""What people see: escapes of a log must not act, markup must be inert, the shape must be the contract's."""

import json
from dataclasses import replace
from typing import Any

import pytest

from fastagent.report import jsonfile, markdown, terminal
from fastagent.report.text import clean, seconds
from fastagent.state import Candidate, Change, Evidence, Gap, Hypothesis, Remediation, Report, RootCause, Source

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\x1b[31mred\x1b[0m \u202eevil \x9b2J `code` <script> [link](http://x) **bold** | \r\nnext"
)
TIMING: dict[str, Any] = {
    "sla_s": 5.0, "wall_s": 1.5, "emulated_s": {"ultrafast": 1.2, "default": 9.0}, "time_to_first_hypothesis_s": 0.4,
    "by_kind": {"decode": 1.0, "startup": 0.5}, "efficiency": 0.5, "overrun_s": 0.0,
    "turns": [{
        "number": 1, "node": "plan", "tier": HOSTILE, "start_s": 0.5, "ttft_s": 0.01, "decode_s": 0.9, "wall_s": 1.0,
        "input_tokens": 1000, "cached_tokens": 10, "output_tokens": 700, "tools": [], "tool_tail_s": 0.0,
        "emulated_s": {}, "ideal_s": 1.0, "cumulative_s": 1.5,
    }],
}  # fmt: skip
REPORT = Report(
    "complete",
    HOSTILE,
    {"title": HOSTILE, "started_at": "", "onset": "", "services": [], "impact": ""},
    RootCause(HOSTILE, "network", HOSTILE, 0.9, "CONFIRMED", "label"),
    (Candidate("a", 0.5),),
    (Hypothesis("h", HOSTILE, 0.5),),
    (Evidence("e1", HOSTILE, HOSTILE, Source(file=HOSTILE, line=3), verified=True),),
    (HOSTILE,),
    (HOSTILE,),
    (Gap(HOSTILE),),
    Change("commit", "none", ""),
    (Remediation(HOSTILE, "low", HOSTILE, HOSTILE, HOSTILE),),
    {"lines": 3, "files": [{"path": HOSTILE, "format": "plain", "confidence": 1.0, "lines": 3, "unparsed": 1}],
     "severity": "error", "key_lines": [{"file": HOSTILE, "line": 1, "why": HOSTILE}], "levels": {"error": 3}},
    TIMING,
    {"model_calls": 1, "input_tokens": 1, "cached_tokens": 0, "output_tokens": 1, "cost_usd": None},
    {"asked": "ultrafast", "served": {"ultrafast": 1}},
    (HOSTILE,),
)  # fmt: skip
FORBIDDEN = ("\x1b", "\x07", "\x9b", "\u202e", "\r")


@pytest.mark.parametrize("text", [terminal.render(REPORT), markdown.render(REPORT)])
def test_no_control_character_of_a_log_reaches_the_reader(text: str) -> None:
    assert not [c for c in FORBIDDEN if c in text]
    assert "red" in text


def test_markup_in_a_log_is_inert_in_markdown() -> None:
    text = markdown.render(REPORT)
    assert "\n**bold**" not in text
    assert "[link](http" not in text.replace("\\[link\\](http", "").replace("`", "") or "`" in text
    assert "`` " in text or "``" in text  # a fence longer than what is inside


def test_colours_are_ours_only() -> None:
    assert "\x1b[" in terminal.render(REPORT, colour=True)
    assert "owned" not in terminal.render(REPORT, colour=True)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_keep_to_the_width(width: int) -> None:
    assert max(len(line) for line in terminal.render(REPORT, width=width).splitlines()) <= width


def test_the_json_has_the_contracts_fields_and_the_schema_first() -> None:
    value = json.loads(jsonfile.render(REPORT))
    assert next(iter(value)) == "schema"
    assert set(value) >= {
        "schema", "status", "answered_by", "incident", "root_cause", "ranking", "hypotheses", "evidence", "causal_chain",
        "ruled_out", "gaps", "change", "remediation", "logs", "timing", "usage", "tier",
    }  # fmt: skip
    assert set(value["evidence"][0]["source"]) == {"file", "line", "command", "metric", "query", "window", "url"}


def test_a_report_without_a_cause_says_that_nothing_was_found() -> None:
    healthy = replace(REPORT, root_cause=None, evidence=(), remediation=())
    assert "No fault found" in terminal.render(healthy)
    assert "No fault found" in markdown.render(healthy)


def test_seconds_are_printed_for_people() -> None:
    assert [seconds(s) for s in (0.0123, 0.84, 38.44)] == ["12 ms", "0.84 s", "38.4 s"]
    assert clean("a\tb\nc") == "a b c"
