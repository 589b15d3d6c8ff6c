import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fastagent.bot.owner import is_gone, this_process
from fastagent.bot.queue import LEASE_S, MAX_ATTEMPTS, SAME_WITHIN_S, Queue
from fastagent.bot.store import Store
from fastagent.errors import InputError
from tests.fastagent.bot.bot_parts import ME, OTHER, Parts, alert

REPORT = {"schema": "fastagent.report/1"}


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return Parts(tmp_path)


def test_each_alert_is_taken_once(parts: Parts) -> None:
    first = parts.queue.accept([alert()])
    assert (len(first.incidents), first.new) == (1, 1)
    again = parts.queue.accept([alert(), alert()])
    assert (again.incidents, again.new) == (first.incidents, 0)
    assert parts.queue.counts() == {"queued": 1}


def test_a_new_start_is_a_new_incident(parts: Parts) -> None:
    parts.queue.accept([alert()])
    assert parts.queue.accept([alert(start="2026-01-02T09:00:00Z")]).new == 1


def test_alerts_of_one_payload_are_one_incident_unless_their_evidence_differs(parts: Parts) -> None:
    alerts = [alert("A"), alert("B"), alert("C", labels={"bundle": "other"})]
    accepted = parts.queue.accept(alerts)
    assert accepted.new == 2
    assert [len(e.alerts) for e in map(parts.queue.entry, accepted.incidents) if e] == [2, 1]


def test_what_is_over_starts_nothing(parts: Parts) -> None:
    assert parts.queue.accept([alert(status="resolved")]).incidents == ()
    (incident,) = parts.queue.accept([alert()]).incidents
    assert parts.queue.accept([alert(status="resolved")]).incidents == (incident,)


def test_an_alert_without_a_start_is_the_same_only_for_a_while_after_its_answer(parts: Parts) -> None:
    parts.queue.accept([alert(start=None)])
    parts.clock.at += 10 * SAME_WITHIN_S
    assert parts.queue.accept([alert(start=None)]).new == 0  # it still waits
    entry = parts.queue.claim(ME)
    assert entry
    parts.queue.finish(entry.id, ME, REPORT)
    assert parts.queue.accept([alert(start=None)]).new == 1
    parts.clock.at += 1
    assert parts.queue.accept([alert(start=None)]).new == 0


def test_alerts_come_back_as_they_went_in(parts: Parts) -> None:
    told = alert(labels={"a": "b"}, annotations={"c": "d"}, notes=("startsAt: null",), url="http://x.example")
    (incident,) = parts.queue.accept([told]).incidents
    entry = parts.queue.entry(incident)
    assert entry
    assert entry.alerts == (told,)


def test_the_oldest_comes_first_and_to_one_owner_only(parts: Parts) -> None:
    (first,) = parts.queue.accept([alert("A")]).incidents
    parts.clock.at += 1
    (second,) = parts.queue.accept([alert("B")]).incidents
    assert [e.id for owner in (ME, OTHER) if (e := parts.queue.claim(owner))] == [first, second]
    assert parts.queue.claim(ME) is None


def test_a_lease_that_ran_out_lets_another_take_over_and_the_first_answer_no_more(parts: Parts) -> None:
    (incident,) = parts.queue.accept([alert()]).incidents
    parts.queue.claim(ME)
    parts.clock.at += LEASE_S - 1
    assert parts.queue.renew(incident, ME)
    parts.clock.at += LEASE_S - 1
    assert parts.queue.claim(OTHER) is None
    parts.clock.at += 2
    taken = parts.queue.claim(OTHER)
    assert taken
    assert not parts.queue.renew(incident, ME)
    assert not parts.queue.finish(incident, ME, REPORT)
    assert parts.queue.finish(incident, OTHER, REPORT)
    assert not parts.queue.finish(incident, OTHER, REPORT)


def test_what_a_dead_process_of_this_machine_held_is_queued_at_once(parts: Parts) -> None:
    parts.queue.accept([alert()])
    machine = this_process().rpartition(":")[0]
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert is_gone(f"{machine}:{ended.pid}")
    parts.queue.claim(f"{machine}:{ended.pid}")
    assert parts.queue.claim(ME) is None
    assert parts.queue.recover() == 1
    assert parts.queue.claim(ME)


@pytest.mark.parametrize("owner", ["", "elsewhere:1", "nonsense", f"{this_process().rpartition(':')[0]}:1"])
def test_of_others_nothing_is_presumed(owner: str) -> None:
    assert not is_gone(owner)


def test_an_incident_that_takes_its_worker_down_each_time_is_given_up_and_told(parts: Parts) -> None:
    (incident,) = parts.queue.accept([alert()]).incidents
    for _ in range(MAX_ATTEMPTS):
        assert parts.queue.claim(ME)
        parts.clock.at += LEASE_S + 1
    assert parts.queue.claim(ME) is None
    entry = parts.queue.entry(incident)
    assert entry
    assert entry.state == "failed"
    assert parts.outbox.take(ME)


def test_being_asked_to_stop_is_no_attempt(parts: Parts) -> None:
    (incident,) = parts.queue.accept([alert()]).incidents
    for _ in range(MAX_ATTEMPTS + 1):
        assert parts.queue.claim(ME)
        parts.queue.release(incident, ME)
    assert parts.queue.counts() == {"queued": 1}


def test_the_answer_and_its_letter_are_written_together(parts: Parts) -> None:
    (incident,) = parts.queue.accept([alert()]).incidents
    parts.queue.claim(ME)
    parts.queue.finish(incident, ME, REPORT)
    entry, letter = parts.queue.entry(incident), parts.outbox.take(ME)
    assert entry
    assert letter
    assert (entry.state, entry.report, letter.key) == ("done", REPORT, incident)


def test_without_a_target_there_is_no_letter(tmp_path: Path) -> None:
    parts = Parts(tmp_path, target="")
    (incident,) = parts.queue.accept([alert()]).incidents
    parts.queue.claim(ME)
    parts.queue.finish(incident, ME, REPORT)
    assert parts.outbox.take(ME) is None


def test_the_database_is_its_owners_only(parts: Parts) -> None:
    assert parts.store.path.stat().st_mode & 0o077 == 0


def test_the_queue_outlives_its_process(parts: Parts) -> None:
    (incident,) = parts.queue.accept([alert()]).incidents
    assert [e.id for e in Queue(Store(parts.store.path)).latest()] == [incident]


def test_a_database_that_is_none_or_newer_is_one_line(parts: Parts, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database at all, but longer than a header" * 9)
    with pytest.raises(InputError, match=r"text\.db"):
        Store(tmp_path / "text.db")
    db = sqlite3.connect(parts.store.path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(InputError, match="newer"):
        Store(parts.store.path)


def test_hostile_text_is_data(parts: Parts) -> None:
    nasty = replace(alert("x'); DROP TABLE incidents;--"), labels={"bundle": "'; --", "\ud800": "\x00"})
    with pytest.raises(TypeError):
        parts.queue.accept([nasty])  # such text never leaves `parse`, and nothing is half written
    assert parts.queue.counts() == {}
    assert parts.queue.accept([alert("x'); DROP TABLE incidents;--")]).new == 1
