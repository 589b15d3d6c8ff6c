import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastagent.bundle import Bundle
from tests.fastagent_tools.looking import bundle, look

STEADY = "2026-01-01T10:{m:02d}:{s:02d}Z ERROR audit: denied for user {n}\n"
START = 40  # minute at which the trouble begins


def story() -> str:
    """An hour: an error that was there all along, every few seconds, and one that begins late, seldom."""
    lines = []
    for n in range(720):
        minute, second = divmod(n * 5, 60)
        lines.append(STEADY.format(m=minute, s=second, n=n))
        if minute >= START and second % 30 == 0:
            lines.append(
                f"2026-01-01T10:{minute:02d}:{second:02d}Z ERROR store: cannot write /data/{n}: No space left on device\n"
            )
    return "".join(lines)


async def overview(root: Path, **files: str | bytes) -> Any:
    return await look(bundle(root, {f"logs/{k}.log": v for k, v in files.items()}), "log_overview")


async def test_what_began_with_the_trouble_ranks_above_louder_noise_that_was_always_there(tmp_path: Path) -> None:
    seen = await overview(tmp_path, app=story())
    best = max(seen.findings, key=lambda f: f.score)
    assert "No space left on device" in best.quote
    assert best.kind == "log.fatal.enospc"
    assert best.source.file == "logs/app.log"
    assert "first seen" in best.reason
    noise = [f for f in seen.findings if "denied" in f.quote]
    assert all(f.score < best.score for f in noise)


async def test_one_template_is_one_finding_whatever_its_numbers(tmp_path: Path) -> None:
    seen = await overview(tmp_path, app=story())
    assert len([f for f in seen.findings if "denied" in f.quote]) <= 1
    assert sum(t["count"] for t in seen.report["logs"]["templates"]) == seen.report["logs"]["lines"]


async def test_a_healthy_log_has_no_alarming_finding(tmp_path: Path) -> None:
    healthy = "".join(
        f"2026-01-01T10:{n // 60:02d}:{n % 60:02d}Z INFO web: GET /orders/{n} 200 in {n % 40} ms\n" for n in range(900)
    )
    seen = await overview(tmp_path, web=healthy)
    assert seen.report["logs"]["severity"] == "info"
    assert not [f for f in seen.findings if f.severity in ("error", "critical")]


async def test_compressed_logs_are_read_by_their_content(tmp_path: Path) -> None:
    seen = await overview(tmp_path, app=gzip.compress(story().encode()))
    assert "No space left on device" in max(seen.findings, key=lambda f: f.score).quote


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02\x00" * 300])
async def test_an_empty_file_and_a_binary_one_are_gaps(tmp_path: Path, content: bytes) -> None:
    seen = await overview(tmp_path, app=content)
    assert seen.findings == ()
    assert [gap.source.partition(":")[0] for gap in seen.gaps] == ["logs/app.log"]
    assert seen.examined == 0


async def test_a_stack_trace_is_one_event_at_its_own_line(tmp_path: Path) -> None:
    log = (
        "2026-01-01T10:00:00Z INFO web: started\n"
        "2026-01-01T10:00:01Z ERROR web: request failed\n"
        "Traceback (most recent call last):\n"
        '  File "app.py", line 3, in handle\n'
        "    charge(order)\n"
        "ValueError: no price for sku-7\n"
        "2026-01-01T10:00:02Z INFO web: next\n"
    )
    seen = await overview(tmp_path, web=log)
    alarming = [f for f in seen.findings if f.severity == "error"]
    assert any("ValueError" in f.statement + f.quote for f in alarming)
    assert seen.report["logs"]["lines"] == 7
    assert {f.source.line for f in alarming} <= {2, 3, 6}


async def test_a_search_counts_by_service_and_cites_lines(tmp_path: Path) -> None:
    found = bundle(tmp_path, {"logs/app.log": story(), "logs/other.log": "nothing here\n"})
    seen = await look(found, "search_logs", pattern="no space LEFT", limit=3)
    assert "app" in seen.summary
    assert seen.findings[0].source.line
    lines = story().splitlines()
    assert all(f.quote == lines[(f.source.line or 0) - 1] for f in seen.findings)
    nothing = await look(found, "search_logs", pattern="unheard of")
    assert (nothing.findings, nothing.ok) == ((), True)


async def test_a_pattern_that_does_not_compile_is_told_to_the_model(tmp_path: Path) -> None:
    seen = await look(bundle(tmp_path, {"logs/a.log": "x\n"}), "search_logs", pattern="(?=no look-around)")
    assert not seen.ok
    assert "RE2" in seen.summary


LINES = st.lists(
    st.one_of(
        st.text(alphabet=st.characters(exclude_characters="\n\r\x00", codec="utf-8"), max_size=60),
        st.sampled_from(
            [
                "2026-01-01T10:00:00Z ERROR a: b",
                '{"level":"error","msg":"x","ts":1}',
                "\tat com.x.Y(Y.java:1)",
                "level=warn msg=x",
            ]
        ),
    ),
    max_size=30,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
def test_counts_add_up_whatever_the_lines(tmp_path: Path, lines: list[str]) -> None:
    import asyncio

    path = tmp_path / "any.log"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    seen = asyncio.run(look(Bundle.of_logs([path]), "log_overview"))
    logs = seen.report.get("logs", {"lines": 0, "files": []})
    assert logs["lines"] == sum(f["lines"] for f in logs["files"]) == seen.examined
    assert logs["lines"] in (len(lines), 0)  # 0: judged to be no text
    assert all(0 <= f["unparsed"] <= f["lines"] for f in logs["files"])


async def test_the_name_of_a_test_that_passed_is_no_fault(tmp_path: Path) -> None:
    log = "test out_of_memory_is_reported ... ok\n--- PASS: TestCertificateExpired (0.01s)\nPASSED tests/x.py::test_segfault\n"
    seen = await overview(tmp_path, ci=log * 30)
    assert seen.report["logs"]["severity"] == "info"
    assert seen.findings == ()


async def test_a_level_that_was_only_guessed_gives_way_to_the_fault_the_line_names(tmp_path: Path) -> None:
    said = await overview(tmp_path / "said", web="2026-01-01T10:00:00Z WARN web: TLS handshake failed\n" * 9)
    guessed = await overview(tmp_path / "guessed", web="TLS handshake failed\n" * 9)
    assert said.report["logs"]["severity"] == guessed.report["logs"]["severity"] == "warning"


async def test_a_ci_job_that_failed_is_an_error_and_no_outage(tmp_path: Path) -> None:
    line = "2026-01-01T10:00:0{n}.0000000Z {text}\n"
    log = "".join(
        line.format(n=n, text=t)
        for n, t in enumerate(
            ["##[group]Run make", "Segmentation fault (core dumped)", "##[error]Process completed with exit code 139."]
        )
    )
    seen = await overview(tmp_path, job=log)
    assert seen.report["logs"]["severity"] == "error"


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be"])
async def test_logs_of_windows_tools_are_decoded(tmp_path: Path, codec: str) -> None:
    mark = b"\xfe\xff" if codec == "utf-16-be" else b""
    seen = await overview(tmp_path, app=mark + story().encode(codec))
    best = max(seen.findings, key=lambda f: f.score)
    assert "No space left on device" in best.quote
    assert seen.gaps == ()


async def test_of_a_compressed_log_that_is_cut_off_all_before_the_cut_is_read(tmp_path: Path) -> None:
    whole = gzip.compress(story().encode())
    seen = await overview(tmp_path, app=whole[: len(whole) // 2])
    assert seen.report["logs"]["lines"] > 100
    assert [gap.reason for gap in seen.gaps] == ["unreadable"]


async def test_compressed_logs_that_were_appended_to_each_other_are_read_as_one(tmp_path: Path) -> None:
    half = gzip.compress(b"2026-01-01T10:00:00Z INFO web: up\n" * 7)
    seen = await overview(tmp_path, app=half + half)
    assert (seen.report["logs"]["lines"], seen.gaps) == (14, ())


async def test_errors_all_along_are_not_called_noise_where_nothing_says_that_it_was_well_before(tmp_path: Path) -> None:
    log = "".join(f"2026-01-01T10:{m:02d}:00Z ERROR web: cannot reach the ledger\n" for m in range(60))
    seen = await overview(tmp_path, web=log)
    assert seen.findings[0].score >= 0.35
