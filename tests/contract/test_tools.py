"""What holds for every tool that is found, ours or yours."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fastagent.toolbox import Tool, load_tools
from tests.fastagent_tools.looking import bundle, look

TOOLS = load_tools()
each = pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
GARBAGE = {
    "pattern": "[x",
    "path": "../../etc/passwd",
    "command": "rm -rf /",
    "service": "\x00",
    "since": "yesterday-ish",
    "level": "?",
}


def arguments(tool: Tool) -> dict[str, Any]:
    """Something for each required argument."""
    schema = tool.schema()["parameters"]
    return {name: GARBAGE.get(name, "x") for name in schema.get("required", ())}


@each
def test_a_tool_says_what_it_does_and_its_schema_is_json(tool: Tool) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", tool.name)
    assert len(tool.description) > 20
    assert json.loads(json.dumps(tool.schema()))["parameters"]["type"] == "object"
    assert 0 < tool.expect_s < 60


@each
async def test_a_tool_survives_an_empty_bundle_and_claims_nothing(tool: Tool, tmp_path: Path) -> None:
    seen = await look(bundle(tmp_path, {}), tool.name, **arguments(tool))
    assert seen.findings == ()
    assert seen.summary


@each
async def test_a_tool_survives_garbage(tool: Tool, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "logs/a.log": b"\xff\xfe\x00garbage\n" * 50,
        "logs/b.log.gz": b"\x1f\x8bnot gzip at all",
        "logs/c.log": '{"level": 7, "msg": [1]}\n{"level": null}\n{broken\n',
        "logs/d.log": "\n" * 500,
        "logs/e.log": "x" * 300_000,
        "metrics/m.csv": "a,b\n1",
    }
    found = bundle(tmp_path, files, {"psql -c x": " a | b \n---+---\n 1\n(1 row", "": ""})
    for name in ("logs/a.log", "nope", "rm -rf /"):
        given = dict.fromkeys(arguments(tool), name)
        seen = await look(found, tool.name, **given)
        assert seen.summary
        assert len(seen.summary) <= 500


@each
async def test_a_tool_that_has_no_time_still_comes_back(tool: Tool, tmp_path: Path) -> None:
    from tests.fastagent_tools.looking import scope

    found = bundle(tmp_path, {"logs/a.log": "2026-01-01T00:00:00Z ERROR no\n" * 1_000}, {"uptime": "up"})
    seen = await tool(arguments(tool), scope(found, 0.0))
    assert seen.elapsed_s < 2


@each
async def test_what_a_tool_returns_is_small_and_its_quotes_are_verbatim(tool: Tool, tmp_path: Path) -> None:
    noisy = "".join(
        f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}Z ERROR part {n}: cannot do {'it ' * (n % 9)}\n" for n in range(3_000)
    )
    found = bundle(tmp_path, {"logs/a.log": noisy}, {"uptime": "ERROR up\n" * 3_000})
    given = {"pattern": "cannot", "path": "logs/a.log", "command": "uptime"}
    seen = await look(found, tool.name, **{k: given.get(k, "x") for k in arguments(tool)})
    assert len(seen.text) <= 3_500
    assert len(seen.findings) <= 25
    for finding in seen.findings:
        assert finding.quote in noisy + found.commands["uptime"]
        assert "\n" not in finding.quote
        assert 0 <= finding.score <= 1
        assert finding.reason
