"""Prints the longest chain of imports and every cycle among our modules; exits 1 where there is a cycle.

Depth and cycles tell the small and clear from the merely big better than any line count.
"""

import sys
from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGES = ("fastagent", "fastagent_tools", "incident_playbooks", "wafer_backend")


def imports() -> dict[str, set[str]]:
    """Module -> the modules of ours that it imports, at its head or in a function."""
    graph = grimp.build_graph(*PACKAGES, include_external_packages=False, exclude_type_checking_imports=True)
    return {name: set(graph.find_modules_directly_imported_by(name)) for name in graph.modules}


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """The deepest path of imports, from the top down. Raises `CycleError`."""
    below: dict[str, list[str]] = {}
    for name in TopologicalSorter(graph).static_order():
        deepest = max((below[other] for other in graph.get(name, ())), key=len, default=[])
        below[name] = [name, *deepest]
    return max(below.values(), key=len)


def main() -> int:
    """Say it."""
    graph = imports()
    try:
        chain = longest_chain(graph)
    except CycleError as error:
        print("cycle of imports: " + " -> ".join(error.args[1]))
        return 1
    print(f"{len(graph)} modules, no cycle; longest chain of imports {len(chain)}: " + " > ".join(chain))
    return 0


if __name__ == "__main__":
    sys.exit(main())
