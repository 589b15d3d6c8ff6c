"""What traces show: time lost on the way, errors at their origin, calls that no longer come."""

from pathlib import Path

import pytest

from tests.fastagent_tools.looking import bundle, look

HEAD = "TraceID,SpanID,ParentID,Service,Operation,StartTimeUnixNano,EndTimeUnixNano,Status\n"
NS = 1_767_261_600_000_000_000
MS = 1_000_000


def trace(n: int, *, client_ms: int = 12, server_ms: int = 10, status: str = "OK", calls_db: bool = True) -> str:
    start = NS + n * 1000 * MS
    rows = [
        f"t{n},a{n},,web,GET /,{start},{start + (client_ms + 5) * MS},{status}",
        f"t{n},b{n},a{n},web,call cart,{start},{start + client_ms * MS},{status}",
        f"t{n},c{n},b{n},cart,GET /cart,{start},{start + server_ms * MS},{status}",
    ]
    if calls_db:
        rows.append(f"t{n},d{n},c{n},cart,SELECT,{start},{start + MS},OK")
    return "\n".join(rows) + "\n"


async def overview(root: Path, normal: str, issue: str):  # type: ignore[no-untyped-def]
    return await look(
        bundle(root, {"traces/normal_1.csv": HEAD + normal, "traces/t.csv": HEAD + issue}), "trace_overview"
    )


NORMAL = "".join(trace(n) for n in range(20))


async def test_time_that_callers_wait_beyond_the_work_is_the_networks(tmp_path: Path) -> None:
    seen = await overview(tmp_path, NORMAL, "".join(trace(n, client_ms=1500) for n in range(100, 120)))
    best = seen.findings[0]
    assert (best.kind, best.entity) == ("trace.network_gap", "cart")
    assert best.quote.startswith("t1")
    assert best.source.file == "traces/t.csv"


async def test_a_callee_that_works_longer_is_not_the_networks_fault(tmp_path: Path) -> None:
    seen = await overview(tmp_path, NORMAL, "".join(trace(n, client_ms=1500, server_ms=1498) for n in range(100, 120)))
    assert "trace.network_gap" not in {f.kind for f in seen.findings}


async def test_errors_begin_where_nothing_that_was_called_failed(tmp_path: Path) -> None:
    seen = await overview(tmp_path, NORMAL, "".join(trace(n, status="ERROR") for n in range(100, 120)))
    assert [(f.kind, f.entity) for f in seen.findings] == [("trace.error_origin", "cart")]


async def test_errors_that_come_as_often_in_normal_times_are_none(tmp_path: Path) -> None:
    failing = "".join(trace(n, status="ERROR") for n in range(20))
    seen = await overview(tmp_path, failing, "".join(trace(n, status="ERROR") for n in range(100, 120)))
    assert seen.findings == ()


async def test_an_operation_that_stopped_calling_is_found_and_not_whom_it_called(tmp_path: Path) -> None:
    seen = await overview(tmp_path, NORMAL, "".join(trace(n, calls_db=False) for n in range(100, 120)))
    assert [(f.kind, f.entity) for f in seen.findings] == [("trace.calls_missing", "cart")]
    assert "SELECT" in seen.findings[0].statement


async def test_traces_as_ever_show_nothing(tmp_path: Path) -> None:
    seen = await overview(tmp_path, NORMAL, "".join(trace(n) for n in range(100, 120)))
    assert (seen.findings, seen.examined) == ((), 160)


@pytest.mark.parametrize("content", ["{broken", "a,b\n1,2\n", b"\x00\x01", '{"hello": 1}'])
async def test_what_holds_no_spans_is_a_gap(tmp_path: Path, content: str | bytes) -> None:
    seen = await look(bundle(tmp_path, {"traces/t.json": content}), "trace_overview")
    assert seen.findings == ()
    assert seen.gaps
