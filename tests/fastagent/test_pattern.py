import time

import pytest

from fastagent.errors import InputError
from fastagent.pattern import MAX_PATTERN_CHARS, compile_pattern


def test_case_is_ignored_unless_asked_for() -> None:
    assert compile_pattern("no space").search("No Space left")
    assert not compile_pattern("no space", ignore_case=False).search("No Space left")


def test_letters_beyond_ascii_are_searched_as_text() -> None:
    match = compile_pattern("größe ([0-9]+)").search("Fehler: GRÖSSE, größe 12 überschritten")
    assert match.group(1) == "12"


def test_every_match_can_be_walked() -> None:
    assert [m.group() for m in compile_pattern(r"\d+").finditer("3 of 30")] == ["3", "30"]


@pytest.mark.parametrize("text", ["(", "a{2,1}", "[z-a]", "(?=ahead)", "(?<!behind)", r"(a)\1"])
def test_what_re2_does_not_take_is_an_input_error_that_shows_the_pattern(text: str) -> None:
    with pytest.raises(InputError) as caught:
        compile_pattern(text)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_pattern_writes_nothing_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError):
        compile_pattern("(")
    assert capfd.readouterr().err == ""


def test_a_pattern_may_be_long_but_not_endless() -> None:
    assert compile_pattern("a" * MAX_PATTERN_CHARS)
    with pytest.raises(InputError, match=f"at most {MAX_PATTERN_CHARS}"):
        compile_pattern("a" * (MAX_PATTERN_CHARS + 1))


def test_a_pattern_that_makes_others_backtrack_for_ever_is_linear() -> None:
    began = time.perf_counter()
    assert not compile_pattern("(a+)+$").search("a" * 50_000 + "b")
    assert time.perf_counter() - began < 2
