from fastagent_tools.text.fields import items, mapping, number, pairs, text, whole, words

STRANGE = [None, 3, "x", [], [1], {"a": 1}, {"a": {"b": [1, {"c": 2}]}}, True]


def test_whatever_stands_there_nothing_is_raised() -> None:
    for value in STRANGE:
        assert isinstance(mapping(value, "a", "b"), dict)
        assert isinstance(items(value, "a"), list)
        assert isinstance(text(value, "a"), str)
        assert isinstance(words(value, "a"), tuple)
        assert isinstance(pairs(value, "a"), dict)


def test_numbers_are_read_from_text_and_never_infinite() -> None:
    assert number("2.5") == 2.5
    assert whole({"n": "7"}, "n") == 7
    assert number("1e999") is None
    assert number("nan") is None
    assert number(True) is None
    assert whole({"n": "many"}, "n") is None


def test_the_first_field_that_is_there_wins() -> None:
    assert text({"b": 0, "c": 1}, "a", "b", "c") == "0"
    assert items({"x": [{"y": 1}, 2]}, "z", "x") == [{"y": 1}]
