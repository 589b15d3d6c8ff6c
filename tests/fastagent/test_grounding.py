from typing import Any

import pytest

from fastagent.grounding import is_known, known_entities, locate, onsets, out_of_order
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


def test_first_signs_come_in_the_order_of_time_whatever_their_zone() -> None:
    def sign(entity: str, time: str, score: float = 0.8, severity: Any = "error") -> Finding:
        return Finding("log.error", "x", severity, entity, time, score=score)

    found = onsets(
        [
            sign("web", "2026-01-01T11:00:05+01:00"),
            sign("db", "2026-01-01T10:00:00Z"),
            sign("db", "2026-01-01T10:30:00Z"),
            sign("old", "2025-01-01T10:00:00Z", score=0.1),
            sign("calm", "2025-01-01T10:00:00Z", severity="info"),
            sign("odd", "yesterday"),
        ]
    )
    assert [entity for _, entity in found] == ["db", "web"]


FIRST_SIGNS = [("2026-01-01T10:00:00Z", "db"), ("2026-01-01T10:05:00Z", "web"), ("2026-01-01T10:05:30Z", "shop")]


@pytest.mark.parametrize(
    "chain",
    [
        ["db is full", "web cannot write to db"],
        ["shop fails", "web fails"],  # within one round of scrapes
        ["2026-01-01T10:06:00Z db is slow", "2026-01-01T10:07:00Z web times out"],
        ["somebody erred", "all is lost"],
        [],
    ],
)
def test_a_causal_chain_may_follow_the_first_signs(chain: list[str]) -> None:
    assert out_of_order(chain, FIRST_SIGNS) is None


@pytest.mark.parametrize(
    ("chain", "pair"),
    [
        (["web leaks", "so db is full"], ("web", "db")),
        (["shop floods", "nothing known", "db is slow"], ("shop", "db")),
        (["2026-01-01T10:09:00Z web leaks", "2026-01-01T10:01:00Z db is full"], ("web leaks", "db is full")),
    ],
)
def test_an_effect_is_not_there_before_its_cause(chain: list[str], pair: tuple[str, str]) -> None:
    assert out_of_order(chain, FIRST_SIGNS) == pair
