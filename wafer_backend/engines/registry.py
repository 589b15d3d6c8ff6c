"""Engines by name: a short alias, or `package.module:Class` for one of your own, which needs no registration."""

from collections.abc import Mapping
from importlib import import_module

from wafer_backend.engines import Engine

ALIASES: Mapping[str, str] = {
    "evidence": "wafer_backend.engines.evidence:Evidence",
    "echo": "wafer_backend.engines.echo:Echo",
}


class EngineNotFound(LookupError):  # noqa: N818  what it is, as in the rest of the error names
    """No engine goes by that name. The message is one line, for users."""


def load(name: str) -> Engine:
    """Import and construct the engine; only the one that is asked for is imported. Raises `EngineNotFound`."""
    module, _, attribute = ALIASES.get(name, name).partition(":")
    if not attribute:
        known = ", ".join(ALIASES)
        raise EngineNotFound(f"no engine {name!r}: give one of {known}, or package.module:Class")
    try:
        engine: Engine = getattr(import_module(module), attribute)()
    except (ModuleNotFoundError, AttributeError) as error:
        raise EngineNotFound(f"cannot load engine {name!r}: {error}") from error
    return engine
