from pathlib import Path

from tests.fastagent_tools.looking import bundle, look

ROWS = """ application_name |        state        | count
------------------+---------------------+-------
 batch            | idle in transaction |    22
 web              | active              |     3
 web              | idle                |     2
(3 rows)
"""
GROUPED = 'psql -c "SELECT application_name, state, count(*) FROM pg_stat_activity GROUP BY 1, 2"'
LIMIT = 'psql -c "SHOW max_connections"'


async def test_who_holds_most_sessions_is_named_with_the_row_that_shows_it(tmp_path: Path) -> None:
    found = bundle(tmp_path, {}, {GROUPED: ROWS, LIMIT: " max_connections\n-----------------\n 30\n(1 row)\n"})
    seen = await look(found, "read_command", command=GROUPED)
    by_kind = {f.kind: f for f in seen.findings}
    holder = by_kind["postgres.connections.holder"]
    assert holder.entity == "batch"
    assert holder.quote in ROWS
    assert holder.source.command == GROUPED
    assert by_kind["postgres.connections.idle_in_transaction"].entity == "batch"
    assert "27 of 30" in by_kind["postgres.connections.usage"].statement
    assert "web" not in {f.entity for f in seen.findings}


async def test_who_holds_many_sessions_and_works_in_them_is_no_alarm(tmp_path: Path) -> None:
    even = ROWS.replace("   22", "    3").replace("idle in transaction", "active             ")
    seen = await look(bundle(tmp_path, {}, {GROUPED: even}), "read_command", command=GROUPED)
    assert not [f for f in seen.findings if f.severity in ("error", "critical")]


async def test_no_rows_are_a_gap_and_no_fault(tmp_path: Path) -> None:
    empty = " pid | granted\n-----+---------\n(0 rows)\n"
    seen = await look(bundle(tmp_path, {}, {"psql -c locks": empty}), "read_command", command="psql -c locks")
    assert seen.findings == ()
    assert seen.gaps


async def test_a_command_that_was_not_recorded_says_what_is(tmp_path: Path) -> None:
    seen = await look(bundle(tmp_path, {}, {"uptime": "up"}), "read_command", command="reboot")
    assert not seen.ok
    assert "uptime" in seen.summary


async def test_the_listing_names_each_command_on_a_line_of_its_own(tmp_path: Path) -> None:
    found = bundle(tmp_path, {"logs/a.log": "x"}, {"uptime": "up", "two\nlines": "x"})
    seen = await look(found, "list_files")
    assert "command: uptime\ncommand: two lines\n" in seen.text
    assert "file: logs/a.log" in seen.text
