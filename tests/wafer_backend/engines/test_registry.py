from typing import Any

import pytest

from wafer_backend.engines.echo import Echo
from wafer_backend.engines.registry import EngineNotFound, load


def test_an_alias_names_an_engine() -> None:
    assert isinstance(load("echo"), Echo)


def test_a_class_of_ones_own_needs_no_registration() -> None:
    assert isinstance(load("wafer_backend.engines.echo:Echo"), Echo)


@pytest.mark.parametrize("name", ["nobody", "no.such.module:Engine", "wafer_backend.engines.echo:Nobody"])
def test_an_engine_that_is_not_there_is_one_clear_line(name: Any) -> None:
    with pytest.raises(EngineNotFound) as caught:
        load(name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
