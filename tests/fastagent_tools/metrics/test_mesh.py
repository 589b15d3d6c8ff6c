from fastagent_tools.metrics.mesh import delays
from fastagent_tools.metrics.series import Series
from fastagent_tools.metrics.windows import Windows
from fastagent_tools.text.sheet import Sheet

WINDOWS = Windows((0, 590), (600, 1200))


def side(entity: str, metric: str, values: list[float]) -> Series:
    return Series(
        entity,
        metric,
        Sheet("metrics/mesh.csv", ["row"] * 30),
        [60.0 * i for i in range(len(values))],
        values,
        list(range(len(values))),
    )


def test_time_that_only_the_caller_measures_is_lost_on_the_way() -> None:
    found = delays(
        [side("web->cart", "source_50", [0.01] * 10 + [1.2] * 8), side("web->cart", "destination_50", [0.008] * 18)],
        WINDOWS,
    )
    assert [(d.caller, d.callee) for d in found] == [("web", "cart")]
    assert found[0].seconds > 1


def test_a_callee_that_is_slow_itself_loses_no_time_on_the_way() -> None:
    slow = [0.01] * 10 + [1.2] * 8
    assert delays([side("web->cart", "source_50", slow), side("web->cart", "destination_50", slow)], WINDOWS) == []


def test_who_waits_for_another_slow_way_comes_after_it() -> None:
    late = [0.01] * 10 + [1.2] * 8
    worse = [0.01] * 10 + [2.4] * 8
    found = delays(
        [side("web->cart", "source_50", worse), side("web->cart", "destination_50", [0.01] * 18),
         side("cart->db", "source_50", late), side("cart->db", "destination_50", [0.01] * 18)],
        WINDOWS,
    )  # fmt: skip
    assert [d.callee for d in found] == ["db", "cart"]
