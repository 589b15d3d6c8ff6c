"""The public surface: sixteen names, nothing heavy behind `import fastagent`, the README's example."""

import re
import subprocess
import sys
from pathlib import Path

import fastagent

ROOT = Path(__file__).parents[1]


def python(code: str, cwd: Path | None = None) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=cwd)
    return done.stdout


def test_the_public_names_are_these_and_sorted() -> None:
    assert fastagent.__all__ == [
        "Agent", "Budget", "BudgetError", "Deadline", "Evidence", "FastagentError", "Hypothesis", "Incident", "ModelError",
        "Observation", "Playbook", "Report", "Span", "Tool", "ToolError", "tool",
    ]  # fmt: skip
    assert fastagent.__all__ == sorted(fastagent.__all__)


def test_every_public_name_can_be_imported() -> None:
    for name in fastagent.__all__:
        assert getattr(fastagent, name).__name__ == name


def test_importing_the_package_or_its_command_line_loads_neither_langgraph_nor_openai() -> None:
    for module in ("fastagent", "fastagent.cli.main", "wafer_backend.cli"):
        loaded = python(
            f"import {module}, sys; print([m for m in ('langgraph', 'openai', 'pydantic_core') if m in sys.modules])"
        )
        assert "langgraph" not in loaded, module
        assert "openai" not in loaded, module


def test_no_module_is_called_like_a_public_name() -> None:
    modules = {p.stem for p in (ROOT / "fastagent").glob("*.py")} | {
        p.name for p in (ROOT / "fastagent").iterdir() if p.is_dir()
    }
    assert not modules & set(fastagent.__all__)


def test_tools_is_no_package() -> None:
    assert not (ROOT / "tools" / "__init__.py").exists()


def test_the_readmes_example_runs_and_fits_in_fifteen_lines(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code is not None
    lines = [line for line in code.group(1).splitlines() if line.strip()]
    assert len(lines) <= 15
    (tmp_path / "status.txt").write_text("queue is empty\n")
    assert "complete" in python(code.group(1), cwd=tmp_path)
