"""A bundle made on the spot, and one tool run on it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastagent import Observation
from fastagent.budget import Deadline, now
from fastagent.bundle import Bundle
from fastagent.commands import RecordedCommands
from fastagent.toolbox import Scope, load_tools

TOOLS = {t.name: t for t in load_tools()}


def bundle(root: Path, files: Mapping[str, str | bytes], commands: Mapping[str, str] | None = None) -> Bundle:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    if commands is not None:
        import json

        (root / "commands.json").write_text(json.dumps(dict(commands)))
    return Bundle.open(root)


def scope(found: Bundle, seconds: float = 20.0) -> Scope:
    clock = asyncio.get_running_loop().time
    return Scope(found, RecordedCommands(found.commands), found.incident, Deadline(now() + seconds), clock=clock)


async def look(found: Bundle, name: str, **arguments: Any) -> Observation:
    return await TOOLS[name](arguments, scope(found))
