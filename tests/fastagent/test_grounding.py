import pytest

from fastagent.grounding import is_known, known_entities, locate
from fastagent.state import Finding, Observation, Source

SEEN = [
    Observation("", text='line one\nERROR  the "disk" is full\n', id="o1", source=Source("app.log")),
    Observation("", (Finding("k", "s", entity="db-1", quote="disk is at 100 %", source=Source("df.txt", 3)),), id="o2"),
]


@pytest.mark.parametrize("quote", ["ERROR the disk is full", 'ERROR  the \\"disk\\" is full', "one\\nERROR"])
def test_white_space_and_escaping_are_forgiven(quote: str) -> None:
    assert locate(quote, SEEN) == Source("app.log")


@pytest.mark.parametrize(
    "quote", ["ERROR the disk is empty", "error the disk is full", "ERROR … full", "disk", "", "      "]
)
def test_nothing_else_is(quote: str) -> None:
    assert locate(quote, SEEN) is None


def test_a_finding_knows_its_line() -> None:
    assert locate("disk is at 100 %", SEEN, "o1") == Source("df.txt", 3)


def test_an_entity_is_known_by_name_or_as_a_word_that_was_read() -> None:
    names = known_entities(SEEN, ["web"])
    assert names == {"db-1", "web"}
    assert is_known("DB-1", names, SEEN)
    assert is_known("disk", names, SEEN)
    assert not is_known("db", names, SEEN)
    assert not is_known("payments", names, SEEN)
