"""Copies of a bundle with names exchanged, or without what was cited; whatever else is in it stays as it is."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from fastagent.evaluation.variants import exchanged, relabelled, renamer, uncited


@pytest.mark.parametrize(
    ("names", "mapping"),
    [
        (["web", "cart", "db"], {"cart": "web", "web": "cart"}),
        (["web"], {"web": "meadow-lantern"}),
        ([], {}),
        (["web", "cart", "web-7f9dd8b6c4-x7gr9", "ip-10-0-1-73.internal"], {"cart": "web", "web": "cart"}),
    ],
)
def test_names_are_exchanged_and_those_of_pods_and_machines_stay(names: list[str], mapping: dict[str, str]) -> None:
    assert exchanged(names) == mapping


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("web calls cart", "cart calls web"),
        ("pod web-7f9dd8b6c4-x7gr9", "pod cart-7f9dd8b6c4-x7gr9"),
        ("website, cobweb and web_app", "website, cobweb and web_app"),
        ('{"service": "web"}', '{"service": "cart"}'),
        ("my-web", "my-web"),
    ],
)
def test_whole_names_are_renamed_and_words_that_hold_them_are_not(text: str, renamed: str) -> None:
    assert renamer({"web": "cart", "cart": "web"})(text) == renamed


def test_of_names_that_begin_alike_the_longest_is_meant() -> None:
    assert renamer({"pay": "a", "pay-db": "b"})("pay-db pay") == "b a"


def test_renaming_back_gives_what_was_there(tmp_path: Path) -> None:
    raw = b"web \xff\xfe cart\r\n\x00web"
    (tmp_path / "bundle" / "logs").mkdir(parents=True)
    (tmp_path / "bundle" / "logs" / "web.log").write_bytes(raw)
    (tmp_path / "bundle" / "m.csv.gz").write_bytes(gzip.compress(b"time,web\n1,2\n"))
    mapping = {"web": "cart", "cart": "web"}
    relabelled(tmp_path / "bundle", tmp_path / "new", mapping)
    assert (tmp_path / "new" / "logs" / "cart.log").read_bytes() == b"cart \xff\xfe web\r\n\x00cart"
    assert gzip.decompress((tmp_path / "new" / "m.csv.gz").read_bytes()) == b"time,cart\n1,2\n"
    relabelled(tmp_path / "new", tmp_path / "old", mapping)
    assert (tmp_path / "old" / "logs" / "web.log").read_bytes() == raw


def test_what_was_cited_is_gone_and_all_else_is_there(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for name in ("a.log", "b.log"):
        (bundle / name).write_text("line\n")
    (bundle / "commands.json").write_text(json.dumps({"df -h": "full", "uptime": "up"}))
    evidence: list[dict[str, Any]] = [
        {"source": {"file": "a.log", "line": 1}},
        {"source": {"command": "df -h"}},
        {"source": None},
    ]
    uncited(bundle, tmp_path / "new", evidence)
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["b.log", "commands.json"]
    assert json.loads((tmp_path / "new" / "commands.json").read_text()) == {"uptime": "up"}


@pytest.mark.parametrize("content", ["{broken", "[1, 2]", ""])
def test_recorded_commands_of_another_shape_are_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "commands.json").write_text(content)
    uncited(tmp_path / "bundle", tmp_path / "new", [{"source": {"command": "x"}}])
    assert (tmp_path / "new" / "commands.json").read_text() == content


def test_a_damaged_archive_is_copied(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "x.gz").write_bytes(b"\x1f\x8bnot really")
    relabelled(tmp_path / "bundle", tmp_path / "new", {"not": "yes"})
    assert (tmp_path / "new" / "x.gz").read_bytes() == b"\x1f\x8bnot really"
