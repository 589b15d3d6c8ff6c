from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fastagent import playbook
from fastagent.errors import PlaybookError
from fastagent.playbook import Playbook, Signal
from fastagent.state import Finding

FIELDS: dict[str, Any] = {
    "title": "A queue is full",
    "category": "traffic",
    "explains": "Producers outrun consumers.",
    "signals": [{"id": "depth", "says": "the queue is deep", "weight": 0.5, "pattern": "depth"}],
    "component": {"kinds": ["queue.depth"], "says": "the slow consumer"},
}


def made(*signals: Signal, id: str = "p") -> Playbook:  # noqa: A002
    return Playbook(**{**FIELDS, "id": id, "signals": signals})


def signal(id: str, weight: float = 0.5, **more: Any) -> Signal:  # noqa: A002
    return Signal(id=id, says=id, weight=weight, **more)


def written(root: Path, name: str = "queue-full", **changes: Any) -> Path:
    (root / name).mkdir()
    path = root / name / "playbook.yaml"
    path.write_text(yaml.safe_dump({**FIELDS, **changes}))
    return path


def test_a_signal_is_seen_in_the_statement_or_in_the_quote_whatever_the_case() -> None:
    deep = signal("s", pattern="too deep")
    assert deep.seen_in(Finding("log.error", "Too Deep"))
    assert deep.seen_in(Finding("log.error", "", quote="queue is TOO DEEP"))
    assert not deep.seen_in(Finding("log.error", "fine", quote="fine"))


def test_a_pattern_does_not_reach_from_the_statement_into_the_quote() -> None:
    assert not signal("s", pattern="too.deep").seen_in(Finding("log.error", "too", quote="deep"))


def test_kinds_take_globs_and_an_empty_list_takes_all() -> None:
    assert signal("s", kinds=("log.fatal.*",)).seen_in(Finding("log.fatal.oom", "x"))
    assert not signal("s", kinds=("log.fatal.*",)).seen_in(Finding("log.error", "x"))
    assert signal("s").seen_in(Finding("anything", "x"))


def test_kind_and_pattern_must_both_fit() -> None:
    both = signal("s", kinds=("log.*",), pattern="deep")
    assert not both.seen_in(Finding("command.error", "deep"))
    assert not both.seen_in(Finding("log.error", "shallow"))


def test_the_strongest_finding_stands_for_a_signal() -> None:
    weak, strong = Finding("k", "deep", score=0.2), Finding("k", "deep too", score=0.9)
    book = made(signal("s", pattern="deep"))
    assert book.signals_in([weak, strong]) == book.signals_in([strong, weak]) == {"s": strong}


def test_without_its_essential_signal_a_playbook_convinces_half_as_much() -> None:
    book = made(signal("change", 0.5, kinds=("change",), essential=True), signal("fails", 0.6, kinds=("fails",)))
    fails = Finding("fails", "", score=1.0)
    assert book.score([fails]) == pytest.approx(0.3)
    assert book.fit([fails]) == pytest.approx(0.3)
    assert book.score([fails, Finding("change", "")]) == pytest.approx(0.8)


def test_independent_signals_add_up_as_noisy_or() -> None:
    book = made(signal("a", 0.5, kinds=("a",)), signal("b", 0.4, kinds=("b",)))
    assert book.score([Finding("a", "")]) == pytest.approx(0.5)
    assert book.score([Finding("a", ""), Finding("b", "")]) == pytest.approx(1 - 0.5 * 0.6)


def test_the_same_signal_twice_counts_once() -> None:
    book = made(signal("a", 0.5, kinds=("a",)))
    assert book.score([Finding("a", "one"), Finding("a", "two")]) == pytest.approx(0.5)


def test_a_signal_against_takes_its_share_of_what_is_left() -> None:
    book = made(signal("a", 0.8, kinds=("a",)), signal("not", 0.75, kinds=("b",), against=True))
    assert book.score([Finding("a", ""), Finding("b", "")]) == pytest.approx(0.8 * 0.25)
    assert book.score([Finding("b", "")]) == 0


@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.booleans()), min_size=1, max_size=8), st.data())
def test_a_score_is_a_share_and_never_falls_by_a_signal_for_it(
    parts: list[tuple[float, bool]], data: st.DataObject
) -> None:
    book = made(*(signal(str(i), w, kinds=(str(i),), against=a) for i, (w, a) in enumerate(parts)))
    seen = data.draw(st.sets(st.integers(0, len(parts) - 1)))
    score = book.score([Finding(str(i), "") for i in seen])
    assert 0 <= score <= 1
    for i, (_, against) in enumerate(parts):
        more = book.score([Finding(str(j), "") for j in seen | {i}])
        assert more <= score + 1e-12 if against else more >= score - 1e-12


def test_matches_come_best_first_ties_by_id_and_without_those_that_fit_nothing() -> None:
    a, b = made(signal("s", 0.5, kinds=("k",)), id="a"), made(signal("s", 0.5, kinds=("k",)), id="b")
    best, none = made(signal("s", 0.9, kinds=("k",)), id="z"), made(signal("s", kinds=("x",)), id="n")
    assert [p.id for p, _ in playbook.match([b, none, a, best], [Finding("k", "")])] == ["z", "a", "b"]


def test_the_folder_names_the_playbook(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, "another-one")
    assert [p.id for p in playbook.load_folder(tmp_path)] == ["another-one", "queue-full"]


def test_a_folder_without_playbooks_gives_none(tmp_path: Path) -> None:
    assert playbook.load_folder(tmp_path) == ()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"category": "weather"}, "category"),
        ({"signals": []}, "signals"),
        ({"signals": [{"id": "s", "says": "s", "weight": 1.5}]}, "signals.0.weight"),
        ({"signals": [{"id": "s", "says": "s", "weight": 0.5, "pattern": "(?=x)"}]}, "signals.0.pattern"),
        ({"remediation": [{"action": "a", "risk": "none", "rollback": "r", "verify": "v"}]}, "remediation.0.risk"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_its_file_in_one_line(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(PlaybookError) as caught:
        playbook.load(path)
    assert str(caught.value).startswith(f"{path}: {field}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["- a list", "title: [unclosed", "", "id: other\n"])
def test_a_file_that_is_no_playbook_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "playbook.yaml"
    path.write_text(text)
    with pytest.raises(PlaybookError, match=r"playbook\.yaml: "):
        playbook.load(path)


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(PlaybookError, match=r"playbook\.yaml: "):
        playbook.load(tmp_path / "playbook.yaml")


def test_a_folder_name_must_be_words_joined_by_hyphens(tmp_path: Path) -> None:
    with pytest.raises(PlaybookError, match="id: "):
        playbook.load(written(tmp_path, "Queue_Full"))


def test_a_playbook_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        made(signal("s")).title = "other"


def test_front_matter_is_read_and_may_hold_rules_below(tmp_path: Path) -> None:
    skill = tmp_path / "SKILL.md"
    skill.write_text("---\nname: a\ndescription: b\n---\n# A\n\n---\n\nmore\n")
    assert playbook.front_matter(skill) == {"name": "a", "description": "b"}


@pytest.mark.parametrize("text", ["# no head\n", "---\nname: a\n", "---\nname: [\n---\n"])
def test_a_skill_without_front_matter_is_an_error(tmp_path: Path, text: str) -> None:
    skill = tmp_path / "SKILL.md"
    skill.write_text(text)
    with pytest.raises(PlaybookError, match="front matter"):
        playbook.front_matter(skill)


def test_examples_are_findings(tmp_path: Path) -> None:
    for name in ("example", "look_alike"):
        (tmp_path / f"{name}.json").write_text(f'{{"findings": [{{"kind": "k", "statement": "{name}"}}]}}')
    assert playbook.examples(tmp_path) == {
        "example": (Finding("k", "example"),),
        "look_alike": (Finding("k", "look_alike"),),
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"findings": [{"kind": "k"}]}', '{"findings": 3}'])
def test_an_example_of_another_form_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "example.json").write_text(text)
    with pytest.raises(PlaybookError, match=r"example\.json: "):
        playbook.examples(tmp_path)
