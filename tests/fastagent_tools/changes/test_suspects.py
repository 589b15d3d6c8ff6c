"""The change to blame took effect just before, where it fails, about what fails; and often it is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fastagent_tools.looking import bundle, look

INCIDENT = '{"title": "orders fail", "started_at": "2026-01-01T10:40:00Z", "services": ["web", "cart", "ads"]}'
LOG = "".join(
    f"2026-01-01T10:{m:02d}:00Z " + ("ERROR cart: voucher parser rejected discount\n" if m >= 38 else "INFO cart: ok\n")
    for m in range(60)
)


def commit(sha: str, at: str, message: str, file: str, diff: str) -> dict[str, Any]:
    return {"sha": sha, "timestamp": f"2026-01-01T{at}:00Z", "message": message, "files_changed": [file], "diff": diff}


GUILTY = commit(
    "aaaa1111",
    "09:50",
    "simplify voucher parser",
    "cart/voucher.py",
    "-    if discount is None: return 0\n+    parse(discount)",
)
OTHERS = [
    commit("bbbb2222", "10:20", "restyle header", "web/header.css", "+  color: red"),
    commit("cccc3333", "10:10", "update docs of voucher parser", "docs/voucher.md", "+ the voucher parser"),
    commit("dddd4444", "10:39", "rotate banners", "ads/banner.py", "+    rotate()"),
]


def deploy(sha: str, at: str, service: str) -> dict[str, str]:
    return {"timestamp": f"2026-01-01T{at}:00Z", "service": service, "commit_sha": sha, "version": f"v-{sha}"}


async def suspects(root: Path, commits: list[dict[str, Any]], deploys: list[dict[str, str]], log: str = LOG) -> Any:
    files: dict[str, str | bytes] = {
        "incident.json": INCIDENT,
        "logs/cart.log": log,
        "changes/commits.json": json.dumps(commits, indent=1),
        "changes/deploys.json": json.dumps(deploys),
    }
    return await look(bundle(root, files), "change_suspects")


async def test_the_change_about_what_fails_is_the_first_suspect(tmp_path: Path) -> None:
    seen = await suspects(
        tmp_path, [GUILTY, *OTHERS], [deploy("aaaa1111", "10:36", "cart"), deploy("dddd4444", "10:37", "ads")]
    )
    best = seen.findings[0]
    assert best.statement.startswith("commit aaaa1111")
    assert (best.entity, best.time, best.severity) == ("cart", "2026-01-01T10:36:00Z", "warning")
    assert best.quote == "simplify voucher parser"
    assert "voucher" in best.reason


async def test_what_took_effect_afterwards_is_no_suspect(tmp_path: Path) -> None:
    seen = await suspects(tmp_path, [GUILTY, *OTHERS], [deploy("aaaa1111", "10:55", "cart")])
    assert not any("aaaa1111" in f.statement and f.severity == "warning" for f in seen.findings)


async def test_where_no_change_is_about_what_fails_none_is_blamed(tmp_path: Path) -> None:
    seen = await suspects(tmp_path, OTHERS, [deploy("dddd4444", "10:37", "ads")])
    assert seen.findings[0].kind == "change.none"


async def test_a_flag_can_be_the_change(tmp_path: Path) -> None:
    flags = [
        {"timestamp": "2026-01-01T10:37:00Z", "flag": "strict_voucher_parser", "service": "cart", "change": "off->on"}
    ]
    files: dict[str, str | bytes] = {
        "incident.json": INCIDENT,
        "logs/cart.log": LOG,
        "changes/flags.json": json.dumps(flags),
    }
    seen = await look(bundle(tmp_path, files), "change_suspects")
    assert seen.findings[0].statement.startswith("flag strict_voucher_parser")


@pytest.mark.parametrize(
    "content", ["{", "7", "[1, null]", '[{"sha": 5, "timestamp": [], "files": 3, "diff": {}}]', '{"commits": "x"}']
)
async def test_changes_of_the_wrong_shape_do_no_harm(tmp_path: Path, content: str) -> None:
    seen = await look(bundle(tmp_path, {"incident.json": INCIDENT, "changes/commits.json": content}), "change_suspects")
    assert seen.summary


async def test_a_release_after_which_a_service_was_released_again_is_less_of_a_suspect(tmp_path: Path) -> None:
    later = commit("cdcd8888", "10:20", "voucher parser for discount codes", "cart/voucher.py", "-    a()\n+    b()")
    deploys = [deploy("aaaa1111", "10:10", "cart"), deploy("cdcd8888", "10:36", "cart")]
    seen = (await suspects(tmp_path, [GUILTY, later], deploys)).findings
    assert [f.statement.split()[1] for f in seen[:2]] == ["cdcd8888", "aaaa1111"]
    assert "until a later release" in seen[1].statement


FULL = LOG.replace("voucher parser rejected discount", "write /var/log/cart: no space left on device")
WRITES = commit("eeee5555", "10:00", "tune defaults", "cart/conf.yaml", "-  level: info\n+  level: debug")
MOVED = commit(
    "ffff6666", "10:05", "extract cart writer for device logs", "cart/w.py", "-  write(log)\n+  put(log)\n+  write(log)"
)


async def test_what_can_bring_such_a_failure_about_is_blamed_before_what_only_shares_its_words(tmp_path: Path) -> None:
    deploys = [deploy("eeee5555", "10:33", "cart"), deploy("ffff6666", "10:35", "cart")]
    best = (await suspects(tmp_path, [WRITES, MOVED], deploys, FULL)).findings[0]
    assert best.statement.startswith("commit eeee5555")
    assert "writes more to disk" in best.statement


async def test_a_change_of_what_the_failure_names_is_blamed(tmp_path: Path) -> None:
    log = LOG.replace("voucher parser rejected discount", "order has no field 'promo_id'")
    renamed = commit("abab7777", "10:00", "tidy names", "cart/order.py", "-  promo_id: int\n+  campaign: int")
    deploys = [deploy("abab7777", "10:34", "cart"), deploy("ffff6666", "10:36", "cart")]
    best = (await suspects(tmp_path, [renamed, MOVED], deploys, log)).findings[0]
    assert best.statement.startswith("commit abab7777")
    assert "promo_id, which the failure names" in best.statement
