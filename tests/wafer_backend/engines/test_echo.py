from typing import Any

import orjson
import pytest

from wafer_backend.engines import Choice, Message, Request, ToolSpec
from wafer_backend.engines.echo import DEFAULT, MOST, Echo
from wafer_backend.tokens import encode

OBJECT = {"type": "object", "properties": {"q": {"type": "integer", "minimum": 3}}, "required": ["q"]}


def ask(text: str = "hello", **more: Any) -> Request:
    return Request("m", (Message("user", text),), **more)


def length(request: Request) -> int:
    return len(encode(Echo().answer(request).text))


@pytest.mark.parametrize("tokens", [1, 2, 11, 1000])
def test_the_number_in_the_last_user_message_is_the_number_of_tokens(tokens: Any) -> None:
    assert length(ask(f"give me {tokens} tokens")) == tokens


def test_without_a_number_the_clients_limit_counts() -> None:
    assert length(ask(max_tokens=17)) == 17


def test_without_either_there_is_a_default() -> None:
    assert length(ask()) == DEFAULT


def test_a_number_beyond_all_measure_is_capped() -> None:
    assert length(ask("999999")) == MOST


def test_without_a_user_message_the_default_holds() -> None:
    assert length(Request("m", (Message("system", "12"),))) == DEFAULT


def test_a_schema_is_met() -> None:
    assert orjson.loads(Echo().answer(ask(schema=OBJECT)).text) == {"q": 3}


def test_a_required_tool_is_called_with_arguments_that_fit() -> None:
    tools = (ToolSpec("a", "", OBJECT), ToolSpec("b", "", OBJECT))
    answer = Echo().answer(ask(tools=tools, choice=Choice("required", ("b",))))
    assert answer.text == ""
    assert [(call.name, orjson.loads(call.arguments)) for call in answer.calls] == [("b", {"q": 3})]


def test_a_tool_that_is_merely_offered_is_not_called() -> None:
    assert Echo().answer(ask(tools=(ToolSpec("a", "", OBJECT),))).calls == ()
