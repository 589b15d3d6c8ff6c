"""What a check-up says of endpoints that answer or do not, and of credentials that can do more than read."""

import os
from pathlib import Path

import pytest

from fastagent.backend import embedded, remote
from fastagent.checkup import Check, endpoint_checks, source_checks


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


async def sources(monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, Check]:
    monkeypatch.setenv("PATH", str(folder))
    return {f"{c.name} {c.mark}": c for c in await source_checks()}


async def test_the_embedded_endpoint_is_well() -> None:
    checks = await endpoint_checks(embedded("none", "ultrafast"), "ultrafast")
    assert [(c.name, c.mark) for c in checks] == [
        ("endpoint", "ok"), ("tool calls", "ok"), ("tier", "ok"), ("speed", "ok"),
    ]  # fmt: skip


async def test_a_dead_endpoint_is_one_line_that_says_what_to_do() -> None:
    (check,) = await endpoint_checks(remote("http://127.0.0.1:9/v1", "m", "", "default"), "default")
    assert check.mark == "fail"
    assert "--base-url" in check.says


async def test_a_cluster_that_may_be_changed_is_warned_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path / "bin", "kubectl", 'case "$*" in *"get pods"*|*"delete pods"*) echo yes;; *) echo no;; esac')
    found = await sources(monkeypatch, tmp_path / "bin")
    assert "delete pods" in found["cluster warn"].says
    assert "patch" not in found["cluster warn"].says


@pytest.mark.parametrize(
    ("script", "mark"),
    [
        ('case "$*" in *"get pods"*) echo yes;; *) echo no;; esac', "ok"),
        ("echo no", "warn"),
        ("echo 'connection refused' >&2; exit 1", "none"),
    ],
)
async def test_a_cluster_is_read_only_closed_or_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, mark: str
) -> None:
    program(tmp_path / "bin", "kubectl", script)
    assert f"cluster {mark}" in await sources(monkeypatch, tmp_path / "bin")


@pytest.mark.parametrize(("script", "mark"), [("echo on", "ok"), ("echo off", "warn"), ("echo no >&2; exit 2", "none")])
async def test_a_database_is_asked_only_where_one_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, mark: str
) -> None:
    program(tmp_path / "bin", "psql", script)
    for name in ("PGHOST", "PGSERVICE", "PGDATABASE"):
        monkeypatch.delenv(name, raising=False)
    assert not [n for n in await sources(monkeypatch, tmp_path / "bin") if n.startswith("postgres")]
    monkeypatch.setenv("PGHOST", "db")
    assert f"postgres {mark}" in await sources(monkeypatch, tmp_path / "bin")


async def test_a_machine_without_programs_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = await sources(monkeypatch, tmp_path)
    assert "programs warn" in found
    assert os.environ["PATH"] == str(tmp_path)
