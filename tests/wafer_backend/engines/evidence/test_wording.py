"""The statement: different things first, the innermost of wrapped errors, never more than a report holds."""

from hypothesis import given
from hypothesis import strategies as st

from wafer_backend.engines.evidence.wording import MOST_CHARS, MOST_WORDS, fitting


def test_different_things_come_before_further_instances_of_the_same() -> None:
    same = [f"a certificate is not accepted: host {n} has an old one that ended in the year {n}" for n in range(9)]
    text = fitting("Certificates", [*same, "Database error: the database is gone", "Disk error: none is left"])
    assert "database is gone" in text
    assert "none is left" in text


def test_of_wrapped_errors_the_innermost_stays() -> None:
    wrapped = "Error: failed to start: failed to create the task: " + "run failed: " * 30 + 'exec: "wgte": not found'
    assert 'exec: "wgte": not found' in fitting("A pod fails", [wrapped])


def test_where_much_is_to_be_said_a_first_sentence_will_do() -> None:
    many = [
        "The memory is nearly full. It was 594 MB of 512 MB.",
        *(f"{w} is broken" for w in ("a", "bb", "ccc", "dddd")),
    ]
    assert "594" not in fitting("Trouble", many)
    assert "594" in fitting("Trouble", many[:1])


def test_counts_and_empty_words_are_left_to_the_evidence() -> None:
    text = fitting(
        "Trouble", ["it broke [4 times since 2026-01-01T10:00:00Z]", "Traceback (most recent call last):", "…"]
    )
    assert text == "Trouble. it broke."


@given(st.text(max_size=500), st.lists(st.text(max_size=600), max_size=12))
def test_it_never_exceeds_what_a_report_holds(opening: str, statements: list[str]) -> None:
    text = fitting(opening, statements)
    assert len(text) <= MOST_CHARS
    assert len(text.split()) <= MOST_WORDS
