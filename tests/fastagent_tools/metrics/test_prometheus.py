import json

import pytest

from fastagent_tools.metrics.prometheus import read_api, read_text
from fastagent_tools.text.naming import Names
from fastagent_tools.text.sheet import Sheet

NAMES = Names(["web"])


def sheet(text: str) -> Sheet:
    return Sheet("metrics/p.json", text.split("\n"))


def test_a_matrix_is_a_series_for_each_set_of_labels() -> None:
    answer = {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [
                {
                    "metric": {"__name__": "up", "service": "web", "code": "500"},
                    "values": [[1767261600, "1"], [1767261615.5, "0"]],
                },
                {"metric": {"__name__": "up", "service": "web", "code": "200"}, "values": [[1767261600, "NaN"]]},
            ],
        },
    }
    (series,) = read_api(sheet(json.dumps(answer)), "p", NAMES)
    assert (series.entity, series.metric, series.values) == ("web", "up{code=500}", [1.0, 0.0])
    assert series.times_s == [1767261600, 1767261615.5]


@pytest.mark.parametrize("text", ['{"status": "error"}', "[]", "{", '{"data": {"result": 7}}', '{"data": []}'])
def test_what_is_no_answer_of_the_api_is_told(text: str) -> None:
    with pytest.raises(ValueError):
        read_api(sheet(text), "p", NAMES)


def test_entries_of_the_wrong_shape_are_passed_over() -> None:
    text = '{"data": {"result": [1, {}, {"metric": 3, "values": [[1], "x", null]}, {"metric": {}, "value": [1767261600, "2"]}]}}'
    (series,) = read_api(sheet(text), "p", NAMES)
    assert (series.entity, series.values) == ("p", [2.0])


def test_samples_with_a_time_are_series_and_those_without_are_none() -> None:
    text = '# HELP x y\nx{service="web"} 1 1767261600000\nx{service="web"} 2 1767261660000\ny 3\n'
    (series,) = read_text(sheet(text), "p", NAMES)
    assert (series.entity, series.metric, series.values) == ("web", "x", [1.0, 2.0])
    assert series.times_s == [1767261600, 1767261660]
