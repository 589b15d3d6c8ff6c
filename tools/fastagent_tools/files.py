"""The tools `list_files` and `read_file`: what evidence there is, and any part of it as text."""

from collections import Counter

from fastagent.errors import InputError, ToolError
from fastagent.state import Gap, Observation, Source
from fastagent.toolbox import Scope, tool
from fastagent_tools.text.intake import read_log

MAX_TEXT = 2_500
_MAX_LINES = 200
_READ_BYTES = 64 * 1024 * 1024


@tool(expect_s=0.02, opening={})
def list_files(scope: Scope) -> Observation:
    """What evidence there is: files by part and size, and the command lines whose output is recorded."""
    commands = scope.commands.known()
    files = scope.bundle.files if scope.bundle else ()
    parts = Counter(f.part for f in files)
    told, left_commands = _capped([f"command: {' '.join(c.split())}" for c in commands], MAX_TEXT * 3 // 4)
    lines = [f"file: {f.path} ({f.part}, {f.size_bytes:,} B)" for f in files]
    text, left_files = _capped(lines, MAX_TEXT - len(told))
    left = [f"{left_files} more files"] * bool(left_files) + [f"{left_commands} more commands"] * bool(left_commands)
    kinds = ", ".join(f"{count} {part}" for part, count in parts.most_common(10)) or "none"
    return Observation(
        summary=f"{len(files)} files ({kinds}); {len(commands)} recorded command lines for read_command.",
        text=f"{told}\n{text}".strip(),
        left_out="; ".join(left),
        examined=len(files) + len(commands),
        gaps=scope.bundle.gaps if scope.bundle else (),
    )


def _capped(lines: list[str], room: int) -> tuple[str, int]:
    """As many whole lines as fit, and how many do not."""
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept), len(lines) - len(kept)


@tool(expect_s=0.05)
def read_file(scope: Scope, path: str, start_line: int = 1, lines: int = 60) -> Observation:
    """Lines of any file that list_files names, with their numbers."""
    if scope.bundle is None:
        raise ToolError("there is no bundle to read from")
    try:
        located = scope.bundle.locate(path)
    except InputError as error:
        raise ToolError(f"{error}; list_files names what is there") from None
    raw = read_log(located, path, _READ_BYTES, lambda: scope.left_s() > 0)
    if not raw.lines:
        empty = "cannot be read as text" if raw.gaps else "is empty"
        return Observation(f"{path} {empty}.", gaps=raw.gaps or (Gap(path, "absent"),))
    begin = max(start_line - max(raw.first, 1), 0)
    chosen = raw.lines[begin : begin + max(1, min(lines, _MAX_LINES))]
    numbered = [f"{n} {line}" for n, line in enumerate(chosen, max(raw.first, 1) + begin)]
    text, cut = _capped([line[:500] for line in numbered], MAX_TEXT)
    last = max(raw.first, 1) + begin + len(chosen) - cut - 1
    total = max(raw.first, 1) + len(raw.lines) - 1
    return Observation(
        summary=f"{path}: lines {max(raw.first, 1) + begin} to {last} of {total}.",
        text=text,
        left_out=f"lines {last + 1} to {total}" if last < total else "",
        examined=len(chosen) - cut,
        gaps=raw.gaps,
        source=Source(file=path),
    )
