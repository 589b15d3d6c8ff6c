"""Prints the longest chain of imports and every cycle among our modules; exits 1 where there is a cycle.

Depth and cycles tell the small and clear from the merely big better than any line count. Cycles are looked for among
all imports; the chain is that of what is loaded together, so imports inside functions do not count for it.
"""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

PACKAGES = ("fastagent", "fastagent_tools", "incident_playbooks", "wafer_backend")
ROOTS = (Path(), Path("tools"))
Graph = dict[str, set[str]]


def all_imports() -> Graph:
    """Module -> the modules of ours that it imports, at its head or in a function."""
    graph = grimp.build_graph(*PACKAGES, include_external_packages=False, exclude_type_checking_imports=True)
    return {name: set(graph.find_modules_directly_imported_by(name)) for name in graph.modules}


def loaded_together(graph: Graph) -> Graph:
    """The same without imports that happen only when a function is called."""
    return {name: others & set(_at_head(name)) for name, others in graph.items()}


def _at_head(module: str) -> Iterator[str]:
    path = Path(*module.split("."))
    files = [r / f for r in ROOTS for f in (path.with_suffix(".py"), path / "__init__.py") if (r / f).is_file()]
    for node in ast.parse(files[0].read_text()).body if files else ():
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def longest_chain(graph: Graph) -> list[str]:
    """The deepest path of imports, from the top down. Raises `CycleError`."""
    below: dict[str, list[str]] = {}
    for name in TopologicalSorter(graph).static_order():
        deepest = max((below[other] for other in graph.get(name, ())), key=len, default=[])
        below[name] = [name, *deepest]
    return max(below.values(), key=len)


def main() -> int:
    """Say it."""
    graph = all_imports()
    try:
        longest_chain(graph)
        chain = longest_chain(loaded_together(graph))
    except CycleError as error:
        print("cycle of imports: " + " -> ".join(error.args[1]))
        return 1
    print(f"{len(graph)} modules, no cycle; longest chain of imports {len(chain)}: " + " > ".join(chain))
    return 0


if __name__ == "__main__":
    sys.exit(main())
