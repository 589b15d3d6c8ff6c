"""The stage that recorders play on, without any server: what is kept, what fails, and what is never written."""

import json
from pathlib import Path

import pytest
from processes import ENVIRONMENT, fetch, free_port, program, shell
from recording import utc_now
from repository import Repository
from stage import Alert, Stage, Told

TOLD = Told(
    name="a-name",
    title="It fails",
    context="",
    services=("api", "db"),
    alert=Alert("Errors", "api", "api fails", after_errors=2),
    calls=(("api", "db"),),
    answer={"component": ["db"], "category": "data"},
)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    folder = tmp_path / "played"
    folder.mkdir()
    return Stage(TOLD, folder, quick=True)


def test_an_alert_fires_after_the_errors_it_waits_for_and_all_of_the_bundle_is_written(
    stage: Stage, tmp_path: Path
) -> None:
    for _ in range(2):
        stage.request("api", worked=False, took_ms=3.04)
    with stage.playing(lambda: stage.sample(lambda: {"db": {"up": 0.0}})):
        stage.log("api", "json").write("ERROR", f"cannot read {stage.folder}/x")
        assert stage.alerted.wait(timeout=10)
        stage.record(["echo $0"], shell)
    stage.write(tmp_path)
    written = {str(p.relative_to(tmp_path / "bundle")) for p in (tmp_path / "bundle").rglob("*.*")}
    assert written == {
        "alert.json", "commands.json", "incident.json", "topology.json", "logs/api.log", "metrics/samples.csv",
    }  # fmt: skip
    assert "cannot read /srv/x" in (tmp_path / "bundle" / "logs" / "api.log").read_text()
    assert ",api,duration_ms_total,6.0" in (tmp_path / "bundle" / "metrics" / "samples.csv").read_text()
    expected = json.loads((tmp_path / "expected.json").read_text())
    assert (expected["id"], expected["candidates"], expected["component"]) == ("a-name", 2, ["db"])


def test_a_fault_that_does_not_show_writes_nothing(stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no alert fired"):
        stage.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_player_that_fails_makes_the_recording_fail(stage: Stage) -> None:
    def player() -> None:
        raise ValueError("a bug of the recorder")

    with pytest.raises(ValueError, match="a bug of the recorder"), stage.playing(player):
        pass


def test_what_is_logged_while_servers_stop_is_not_kept(stage: Stage) -> None:
    log = stage.log("api", "logfmt")
    with stage.playing(lambda: None):
        log.write("INFO", "at work")
        stage.keep_logs()
        log.write("INFO", "stopping")
    assert [text.count("msg=") for text in stage.kept.values()] == [1]


def test_a_private_server_is_reached_by_the_command_line_that_is_recorded() -> None:
    assert shell("redis-cli INFO", redis_cli="-p 7") != ""
    assert shell("echo 'a  b' | wc -w", echo="one").split() == ["3"]


def test_nobody_listening_is_an_answer_too() -> None:
    status, said, _ = fetch(free_port(), "/")
    assert (status, "refused" in said) == (0, True)


def test_a_missing_program_says_what_to_install() -> None:
    with pytest.raises(SystemExit, match="no nginz found; install Debian's package `nginx`"):
        program("nginz", "nginx")


def test_a_commit_is_told_with_its_files_and_diff_and_can_be_exported(tmp_path: Path) -> None:
    repository = Repository(program("git", "git"), tmp_path / "repository", {**ENVIRONMENT, "HOME": str(tmp_path)})
    repository.create()
    first = repository.commit(utc_now(), "ines", "One", {"a/x.py": "1\n", "b/y.py": "1\n"})
    repository.commit(utc_now(), "jo", "Two", {"a/x.py": "2\n"})
    two = repository.commits[1]
    assert (two["author"], two["message"], two["files"]) == ("jo", "Two", ["a/x.py"])
    assert "-1\n+2\n" in two["diff"]
    repository.export(first, "a", tmp_path / "release")
    assert [p.read_text() for p in (tmp_path / "release").rglob("*.py")] == ["1\n"]
