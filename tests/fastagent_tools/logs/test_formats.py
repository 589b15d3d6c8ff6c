"""Each format by lines of its kind, written here: its name, and the level of each line."""

from pathlib import Path

import pytest

from tests.fastagent_tools.looking import bundle, look

SAMPLES = {
    "json": ['{"ts":"2026-01-01T10:00:00Z","level":"info","msg":"up"}', '{"time":1767261600,"level":50,"msg":"no"}'],
    "logfmt": ['ts=2026-01-01T10:00:00Z level=info msg="up"', 'ts=2026-01-01T10:00:01Z level=error msg="no"'],
    "postgres": ["2026-01-01 10:00:00.000 UTC [7] LOG:  up", "2026-01-01 10:00:01.000 UTC [8] a@b [unknown] ERROR:  no"],
    "log4j": ["2026-01-01 10:00:00,123 INFO  [main] c.x.App: up", "2026-01-01 10:00:01,123 ERROR [main] c.x.App: no"],
    "klog": ["I0101 10:00:00.000000       1 main.go:7] up", "E0101 10:00:01.000000       1 main.go:9] no"],
    "nginx-error": ["2026/01/01 10:00:00 [notice] 7#7: up", "2026/01/01 10:00:01 [error] 7#7: *1 no"],
    "http-access": ['10.0.0.1 - - [01/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "-"',
                    '10.0.0.1 - - [01/Jan/2026:10:00:01 +0000] "GET /x HTTP/1.1" 500 5 "-" "-"'],
    "syslog-5424": ["<14>1 2026-01-01T10:00:00Z h app 1 - - up", "<11>1 2026-01-01T10:00:01Z h app 1 - - no"],
    "redis": ["7:M 01 Jan 2026 10:00:00.000 * up", "7:M 01 Jan 2026 10:00:01.000 # no, out of memory error"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "lines"), SAMPLES.items(), ids=SAMPLES)
async def test_a_format_is_named_with_confidence_and_its_levels_are_read(
    name: str, lines: list[str], tmp_path: Path
) -> None:
    seen = await look(bundle(tmp_path, {"logs/a.log": "\n".join(lines * 10) + "\n"}), "log_overview")
    file = seen.report["logs"]["files"][0]
    assert file["format"] == name
    assert file["confidence"] >= 0.9
    levels = seen.report["logs"]["levels"]
    assert levels.get("info", 0) == 10
    assert sum(levels.get(x, 0) for x in ("warning", "error", "critical")) == 10


async def test_lines_of_no_known_format_are_plain_and_say_so(tmp_path: Path) -> None:
    seen = await look(bundle(tmp_path, {"logs/a.log": "hello\nworld of words\n" * 9}), "log_overview")
    assert seen.report["logs"]["files"][0]["format"] == "plain"
