"""The result as a page: whole, by itself, and safe whatever a report says."""

from html.parser import HTMLParser

from fastagent.evaluation.comparison import Pair, compare
from fastagent.evaluation.judging import Verdict
from fastagent.evaluation.measures import summary
from fastagent.evaluation.page import Row, page

HOSTILE = "<script>alert(1)</script>"
REPORT = {
    "status": "complete", "timing": {"wall_s": 1.5},
    "root_cause": {"component": HOSTILE, "category": "network", "label": None, "statement": HOSTILE, "confidence": 0.9,
                   "verdict": "CONFIRMED"},
}  # fmt: skip
NOTHING = {"status": "complete", "root_cause": None}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def made() -> str:
    rows: list[Row] = [
        ("one", REPORT, Verdict(component=True)),
        ("two", NOTHING, Verdict(component=False)),
        ("three", {}, Verdict()),
    ]
    found = summary([(r, v) for _, r, v in rows])
    return page("cases & more", found, rows, compare([Pair("one", NOTHING, REPORT, was_right=False, is_right=True)]))


def test_the_page_is_well_formed_and_needs_no_other_file() -> None:
    tags = _Tags()
    tags.feed(made())
    assert tags.open == []
    assert not tags.seen & {"script", "link", "img", "iframe"}


def test_it_tells_each_case_with_its_mark_and_the_shares() -> None:
    text = made()
    assert all(
        word in text for word in ("one", "right", "wrong", "nothing wrong", "cases &amp; more", "1 of 2", "1 better")
    )
    assert HOSTILE not in text
