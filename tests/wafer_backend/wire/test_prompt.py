from wafer_backend.engines import Call, Choice, Message, Request, ToolSpec
from wafer_backend.wire.prompt import CONTENT, START, prompt_ids

TOOLS = (ToolSpec("grep", "Search.", {"type": "object"}),)
ASKED = (Message("system", "be brief"), Message("user", "why?"))
ANSWERED = (*ASKED, Message("assistant", "", (Call("grep", "{}", "c1"),)), Message("tool", "found", call_id="c1"))


def shared(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Length of the common prefix."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def test_a_turn_only_adds_at_the_end() -> None:
    before, after = prompt_ids(Request("m", ASKED, TOOLS)), prompt_ids(Request("m", ANSWERED, TOOLS))
    assert after[: len(before)] == before


def test_which_tools_may_be_called_is_no_part_of_the_prompt() -> None:
    assert prompt_ids(Request("m", ASKED, TOOLS, Choice("required"))) == prompt_ids(Request("m", ASKED, TOOLS))


def test_another_tool_list_changes_the_prompt_from_its_start() -> None:
    other = (ToolSpec("tail", "Search.", {"type": "object"}),)
    assert shared(prompt_ids(Request("m", ASKED, TOOLS)), prompt_ids(Request("m", ASKED, other))) < 20


def test_a_schema_for_the_text_is_read_by_the_model() -> None:
    assert len(prompt_ids(Request("m", ASKED, schema={"type": "object"}))) > len(prompt_ids(Request("m", ASKED)))


def test_the_prompt_ends_where_the_assistant_begins() -> None:
    ids = prompt_ids(Request("m", ASKED))
    assert (ids[-3], ids[-1]) == (START, CONTENT)
