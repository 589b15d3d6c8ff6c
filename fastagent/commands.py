"""Commands that tools want to see the output of: answered from a recording. Nothing is ever run through a shell.

A live runner (argument vectors, a read-only allowlist that checks arguments) has the same face.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from fastagent.errors import ToolError


class CommandRunner(Protocol):
    """Answers a command line with what it prints."""

    def known(self) -> tuple[str, ...]:
        """Command lines that can be answered for sure; empty where any allowed one can be tried."""
        ...

    async def run(self, command: str) -> str:
        """What the command prints. Raises `ToolError` where it cannot or must not be run."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedCommands:
    """Command lines and their recorded outputs, as in a bundle's `commands.json`."""

    outputs: Mapping[str, str]

    def known(self) -> tuple[str, ...]:
        """All recorded command lines, in the order of the recording."""
        return tuple(self.outputs)

    async def run(self, command: str) -> str:
        """The recorded output; white space in the command line may differ."""
        if command in self.outputs:
            return self.outputs[command]
        folded = " ".join(command.split())
        for line, output in self.outputs.items():
            if " ".join(line.split()) == folded:
                return output
        raise ToolError(f"not recorded: {command!r}; recorded are: {', '.join(map(repr, self.outputs)) or 'none'}")
