import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastagent.ledger import PRECEDENCE, Ledger, Span, Turn, attribute

SPANS = st.lists(
    st.builds(
        lambda kind, start, length: Span(kind, "x", start, start + length),
        st.sampled_from(PRECEDENCE),
        st.floats(0, 20),
        st.floats(0, 20),
    ),
    max_size=12,
)


@given(SPANS, st.floats(0.001, 30))
def test_the_parts_always_add_up_to_the_whole(spans: list[Span], wall_s: float) -> None:
    charged = attribute(spans, wall_s)
    assert sum(charged.values()) == pytest.approx(wall_s)
    assert all(s >= 0 for s in charged.values())


def test_where_spans_overlap_the_instant_belongs_to_the_first_kind() -> None:
    spans = [Span("framework", "graph", 0, 10), Span("tool", "t", 2, 8), Span("decode", "m", 1, 5)]
    assert attribute(spans, 12) == {"framework": 3, "decode": 4, "tool": 3, "unattributed": 2}


def test_the_emulated_time_swaps_the_models_time_and_keeps_the_rest() -> None:
    ledger = Ledger(100.0)
    ledger.add("decode", "m", 101, 103)
    ledger.add("tool", "t", 103, 104)
    ledger.turns.append(Turn(1, "plan", "a", 1, 0.5, 1.5, 3, emulated_s={"fast": 0.5, "slow": 20.0}, ideal_s=2.5))
    ledger.add("startup", "p", 100, 101)
    assert ledger.emulated(4.0) == {"fast": 2.5, "slow": 22.0}
    assert ledger.efficiency(5.0) == 0.5
    assert ledger.as_json()[0]["cumulative_s"] == 4


def test_only_the_first_mark_counts_and_empty_spans_do_not() -> None:
    ledger = Ledger(10.0)
    ledger.mark("seen", 11.0)
    ledger.mark("seen", 12.0)
    ledger.add("tool", "t", 12.0, 12.0)
    assert (ledger.marks, ledger.spans) == ({"seen": 1.0}, [])
