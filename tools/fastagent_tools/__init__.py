"""What the agent can look at. Every module here is searched for `Tool`s: adding a tool is adding a file."""

from importlib import import_module
from pkgutil import walk_packages

from fastagent.toolbox import Tool


def tools() -> tuple[Tool, ...]:
    """Every tool of this package, by name: found in its modules, not listed anywhere."""
    found: dict[str, Tool] = {}
    for module in walk_packages(__path__, f"{__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Tool):
                found[value.name] = value
    return tuple(found[name] for name in sorted(found))
