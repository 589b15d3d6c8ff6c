from fastagent_tools.text.citation import Original, merged

TEXT = 'name: a\n  message: "it said \\"no\\""\nname: b\n  message: gone\n'


def test_a_quote_is_the_line_behind_the_object_that_it_is_about() -> None:
    original = Original(TEXT, file="x.yaml")
    quote, source = original.cite("message:", after="name: b")
    assert quote == "message: gone"
    assert (source.file, source.line) == ("x.yaml", 4)


def test_words_are_found_as_json_writes_them() -> None:
    assert Original(TEXT).cite('it said "no"')[0] == 'message: "it said \\"no\\""'


def test_of_a_long_line_the_part_around_the_words_is_quoted() -> None:
    text = "x" * 5_000 + " the needle " + "y" * 5_000
    quote = Original(text).cite("the needle")[0]
    assert "the needle" in quote
    assert len(quote) <= 300
    assert quote in text


def test_what_is_not_there_is_not_quoted() -> None:
    assert Original(TEXT, command="c").cite("nowhere to be found, ever", "") == (
        "",
        Original("", command="c").cite("")[1],
    )


def test_findings_of_one_kind_entity_and_reason_become_one_that_counts_the_others() -> None:
    original = Original(TEXT)
    found = [original.finding("k", f"pod {n} fails", "error", 0.5 + n / 10, "why", entity="a") for n in range(3)]
    (kept,) = merged(found)
    assert kept.statement == "pod 2 fails (and 2 more like it)"
