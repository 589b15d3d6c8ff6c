from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wafer_backend.engines import Answer, Call, Choice, Message, Request, ToolSpec
from wafer_backend.tokens import encode
from wafer_backend.wire.ask import Ask, Delivery
from wafer_backend.wire.draft import Draft, Part, write_draft
from wafer_backend.wire.errors import WireError

QUERY = {
    "type": "object",
    "properties": {"q": {"type": "string"}},
    "required": ["q"],
    "additionalProperties": False,
}
STRICT = ToolSpec("grep", "", QUERY, strict=True)
LOOSE = ToolSpec("tail", "", QUERY)
GOOD = '{"q":"error"}'


def draft(answer: Answer, **more: Any) -> Draft:
    return write_draft(Ask(Request("m", (Message("user", "hi"),), **more), Delivery(None), {}), answer)


def fault(answer: Answer, **more: Any) -> str:
    with pytest.raises(WireError) as caught:
        draft(answer, **more)
    assert (caught.value.status, caught.value.type) == (500, "server_error")
    return caught.value.message


def test_text_costs_its_tokens() -> None:
    written = draft(Answer("one two three"))
    assert (written.tokens, written.finish, written.parts[0].text) == (3, "stop", "one two three")


def test_a_call_costs_its_name_and_its_arguments() -> None:
    written = draft(Answer(calls=(Call("grep", GOOD),)), tools=(STRICT,))
    assert written.tokens == len(encode("grep")) + len(encode(GOOD))
    assert (written.finish, written.parts[0].text) == ("tool_calls", GOOD)


def test_an_empty_answer_takes_one_token_to_say() -> None:
    assert draft(Answer()).tokens == 1


def test_each_call_has_an_id_of_its_own_and_always_the_same() -> None:
    answer = Answer("see", (Call("tail", "{}"), Call("tail", "{}")))
    first, again = draft(answer, tools=(LOOSE,)), draft(answer, tools=(LOOSE,))
    ids = [part.call.id for part in first.parts if part.call]
    assert len(set(ids)) == 2
    assert first == again


@given(st.integers(1, 12))
def test_the_limit_cuts_after_so_many_tokens_and_begins_no_part_that_it_does_not_reach(limit: Any) -> None:
    answer = Answer("one two three", (Call("grep", GOOD),))
    whole, cut = draft(answer, tools=(STRICT,)), draft(answer, tools=(STRICT,), max_tokens=limit)
    assert cut.tokens == min(limit, whole.tokens)
    assert cut.finish == ("length" if limit < whole.tokens else "tool_calls")
    assert len(cut.parts) == (1 if limit <= 3 else 2)
    assert [part.complete for part in cut.parts[:-1]] == [True] * (len(cut.parts) - 1)


def test_several_tokens_an_event_come_with_the_last_of_them() -> None:
    assert list(Part(("a", "b", "", "c", "d")).deltas(2)) == ["", "ab", "", "c", "d"]


@pytest.mark.parametrize(
    ("answer", "more", "words"),
    [
        (Answer(calls=(Call("grep", '{"q":1}'),)), {"tools": (STRICT,)}, "schema"),
        (Answer(calls=(Call("grep", '{"q":'),)), {"tools": (STRICT,)}, "not JSON"),
        (Answer(calls=(Call("nope", "{}"),)), {"tools": (STRICT,)}, "no tool"),
        (Answer(calls=(Call("grep", GOOD),)), {"tools": (STRICT,), "choice": Choice("none")}, "no tool"),
        (
            Answer(calls=(Call("grep", GOOD),)),
            {"tools": (STRICT, LOOSE), "choice": Choice("auto", ("tail",))},
            "no tool",
        ),
        (Answer("text"), {"tools": (STRICT,), "choice": Choice("required")}, "required"),
        (Answer(calls=(Call("grep", GOOD),) * 2), {"tools": (STRICT,), "parallel": False}, "parallel"),
        (Answer("{}"), {"schema": QUERY}, "schema"),
    ],
    ids=str,
)
def test_an_answer_that_is_not_what_was_asked_for_is_the_servers_fault(answer: Any, more: Any, words: Any) -> None:
    assert words in fault(answer, **more)


def test_loose_tools_are_taken_at_their_word() -> None:
    assert draft(Answer(calls=(Call("tail", '{"q":1}'),)), tools=(LOOSE,)).finish == "tool_calls"
