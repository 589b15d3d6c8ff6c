import asyncio
import threading
import time

import pytest

from fastagent import Incident, Observation, ToolError, tool
from fastagent.budget import Deadline, now
from fastagent.commands import RecordedCommands
from fastagent.toolbox import Scope, load_tools, withheld


def scope(seconds: float = 5.0) -> Scope:
    loop = asyncio.get_running_loop()
    return Scope(None, RecordedCommands({"uptime": "up"}), Incident("x"), Deadline(now() + seconds), clock=loop.time)


@tool(expect_s=0.1)
async def greet(scope: Scope, name: str, times: int = 1) -> str:
    """Say hello."""
    if name == "nobody":
        raise ToolError("nobody is here")
    return f"hello {name} " * times + str(scope.incident.title)


def test_the_model_sees_the_arguments_and_not_the_scope() -> None:
    schema = greet.schema()
    assert (schema["name"], schema["description"]) == ("greet", "Say hello.")
    assert set(schema["parameters"]["properties"]) == {"name", "times"}
    assert schema["parameters"]["required"] == ["name"]


async def test_a_call_is_checked_run_and_timed() -> None:
    seen = await greet({"name": "ann", "times": 2}, scope())
    assert (seen.text, seen.ok, seen.tool) == ("hello ann hello ann x", True, "greet")


@pytest.mark.parametrize(
    "arguments", [{}, {"name": 7}, {"name": "a", "x": 1}, {"name": "nobody"}, {"scope": 1, "name": "a"}]
)
async def test_what_the_model_can_handle_is_told_to_it_in_one_line(arguments: dict[str, object]) -> None:
    seen = await greet(arguments, scope())
    assert not seen.ok
    assert seen.summary
    assert "\n" not in seen.summary


async def test_a_bug_in_a_tool_propagates() -> None:
    @tool(expect_s=0.1)
    async def broken() -> str:
        """Breaks."""
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken({}, scope())


@pytest.mark.virtual
async def test_a_slow_tool_is_cut_off_at_the_deadline() -> None:
    @tool(expect_s=0.1)
    async def slow() -> str:
        """Sleeps."""
        await asyncio.sleep(100)
        return "late"

    seen = await slow({}, scope(2.0))
    assert (seen.ok, seen.elapsed_s) == (False, 2.0)


async def test_a_plain_function_runs_in_a_thread_that_a_deadline_abandons() -> None:
    over = threading.Event()

    @tool(expect_s=0.1)
    def stuck() -> str:
        """Waits."""
        over.wait(5)
        return threading.current_thread().name

    began = time.monotonic()
    seen = await stuck({}, scope(0.1))
    over.set()
    assert not seen.ok
    assert time.monotonic() - began < 2


async def test_a_withheld_tool_has_nothing_to_show() -> None:
    seen = await withheld(greet)({"name": "ann"}, scope())
    assert (seen.findings, seen.text, seen.examined) == ((), "", 0)


def test_installed_tools_are_found_by_their_entry_point_in_a_stable_order() -> None:
    names = [t.name for t in load_tools()]
    assert names == sorted(names)
    assert {"list_files", "log_overview", "read_command", "search_logs"} <= set(names)


async def test_recorded_commands_forgive_white_space_and_nothing_else() -> None:
    commands = RecordedCommands({"kubectl get  pods": "web"})
    assert await commands.run("kubectl get pods") == "web"
    with pytest.raises(ToolError, match="kubectl get"):
        await commands.run("kubectl delete pods")


def test_observations_are_what_tools_return() -> None:
    assert Observation("x").ok
