import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from wafer_backend import cli


def run(*arguments: str) -> tuple[int, str]:
    """Exit status and what was said on stderr."""
    result = CliRunner().invoke(cli.app, [*arguments])
    return result.exit_code, result.stderr


def test_help_names_the_command() -> None:
    result = CliRunner().invoke(cli.app, ["--help"])
    assert (result.exit_code, "serve" in result.stdout) == (0, True)


def test_help_imports_neither_tokens_nor_server() -> None:
    code = (
        "import sys, wafer_backend.cli;"
        "print([m for m in ('httpx2', 'orjson', 'rs_bpe', 'uvicorn', 'rich') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--engine", "nobody"), "no engine 'nobody'"),
        (("--time-scale", "0", "--engine", "echo"), "time_scale"),
        (("--engine", "echo", "--host", "192.0.2.1"), "cannot listen on 192.0.2.1:8484"),
    ],
)
def test_what_cannot_be_is_one_line_and_status_1(arguments: Any, words: Any) -> None:
    status, said = run("serve", *arguments)
    assert status == 1
    assert words in said
    assert said.count("\n") == 1


def test_a_wrong_option_is_a_usage_error() -> None:
    assert run("serve", "--pace", "slow")[0] == 2


def banner(host: str) -> str:
    return cli._banner(cli._build("real", 1.0, "echo", 1), host, 8484)


def test_the_banner_tells_the_address_the_speeds_and_how_to_point_a_client() -> None:
    said = banner("127.0.0.1")
    assert "http://127.0.0.1:8484/v1" in said
    assert "ultrafast 750 tok/s" in said
    assert "base_url='http://127.0.0.1:8484/v1'" in said
    assert "warning" not in said


@pytest.mark.parametrize("host", ["::1", "localhost"])
def test_loopback_goes_by_other_names(host: Any) -> None:
    assert "warning" not in banner(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org"])
def test_an_address_that_others_reach_is_warned_of(host: Any) -> None:
    assert "warning" in banner(host)
