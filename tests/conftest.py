"""`@pytest.mark.virtual` runs an async test in virtual time; all others run on asyncio's own loop."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from fastagent.testing import AutojumpLoop


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "virtual: run on fastagent.testing.AutojumpLoop, whose clock jumps when all wait"
    )


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("virtual"):
        return {"virtual": AutojumpLoop}
    return {"real": asyncio.new_event_loop}
