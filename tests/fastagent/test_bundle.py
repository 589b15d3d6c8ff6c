import json
import os
from pathlib import Path

import pytest

from fastagent.bundle import Bundle
from fastagent.errors import InputError
from fastagent.state import Gap


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "web.log").write_text("INFO fine\n")
    (tmp_path / "incident.json").write_text(json.dumps({"title": "web fails", "services": ["web", "db"]}))
    (tmp_path / "commands.json").write_text(json.dumps({"uptime": "up", "nested": {"a": 1}}))
    return tmp_path


def test_a_bundle_is_read_whole(root: Path) -> None:
    bundle = Bundle.open(root)
    assert (bundle.incident.title, bundle.incident.services) == ("web fails", ("web", "db"))
    assert bundle.commands == {"uptime": "up", "nested": '{"a":1}'}
    assert [f.path for f in bundle.of_part("log")] == ["logs/web.log"]
    assert bundle.gaps == ()


def test_a_missing_path_and_a_file_are_refused_in_one_line(root: Path) -> None:
    for path in (root / "nope", root / "logs" / "web.log"):
        with pytest.raises(InputError, match=path.name) as raised:
            Bundle.open(path)
        assert "\n" not in str(raised.value)


def test_an_empty_directory_is_a_bundle_with_nothing_in_it(tmp_path: Path) -> None:
    bundle = Bundle.open(tmp_path)
    assert (bundle.files, dict(bundle.commands)) == ((), {})
    assert bundle.incident.title


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"x"', "\x00\xff", '{"title": 7}', '{"services": null}'])
def test_a_malformed_incident_is_a_gap_or_ignored_and_never_an_error(root: Path, text: str) -> None:
    (root / "incident.json").write_bytes(text.encode("latin-1"))
    assert Bundle.open(root).incident.title


def test_one_bad_field_never_drops_the_others(root: Path) -> None:
    (root / "incident.json").write_text(json.dumps({"title": "web fails", "services": 7, "namespace": "shop"}))
    bundle = Bundle.open(root)
    assert (bundle.incident.title, bundle.incident.namespace, bundle.incident.services) == ("web fails", "shop", ())
    assert bundle.gaps == (Gap("incident.json: services", "unreadable"),)


@pytest.mark.parametrize("text", ["{", "[]", "7"])
def test_malformed_commands_are_a_gap(root: Path, text: str) -> None:
    (root / "commands.json").write_text(text)
    bundle = Bundle.open(root)
    assert bundle.commands == {}
    assert bundle.gaps == (Gap("commands.json", "unreadable"),)


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "logs/../../secret", "logs", "", "logs/nope.log", "logs/web.log/"]
)
def test_only_paths_of_the_inventory_lead_anywhere(root: Path, path: str) -> None:
    (root.parent / "secret").write_text("x")
    with pytest.raises(InputError):
        Bundle.open(root).locate(path)


def test_links_that_leave_the_bundle_devices_and_pipes_are_passed_over(root: Path) -> None:
    (root.parent / "secret").write_text("x")
    (root / "logs" / "out.log").symlink_to(root.parent / "secret")
    (root / "logs" / "dir").symlink_to("/etc")
    (root / "logs" / "in.log").symlink_to(root / "logs" / "web.log")
    (root / "logs" / "gone.log").symlink_to(root / "nowhere")
    os.mkfifo(root / "logs" / "pipe.log")
    assert {f.path for f in Bundle.open(root).of_part("log")} == {"logs/web.log", "logs/in.log"}


def test_logs_named_one_by_one_are_a_bundle_too(root: Path) -> None:
    bundle = Bundle.of_logs([root / "logs", root / "logs" / "web.log"])
    assert len(bundle.files) == 1
    assert bundle.locate(bundle.files[0].path).read_text() == "INFO fine\n"
    with pytest.raises(InputError, match="no files"):
        (root / "empty").mkdir()
        Bundle.of_logs([root / "empty"])


def test_the_folder_or_the_stem_names_the_service(root: Path) -> None:
    bundle = Bundle.open(root)
    assert bundle.service_of("logs/web/current.log") == "web"
    assert bundle.service_of("logs/db.log.1.gz") == "db"


def test_alerts_fill_what_the_incident_does_not_say(root: Path) -> None:
    alert = {"labels": {"alertname": "Slow", "service": "cart"}, "startsAt": "2026-01-02T03:04:05Z"}
    (root / "alert.json").write_text(json.dumps(alert))
    incident = Bundle.open(root).incident
    assert (incident.title, incident.services) == ("web fails", ("web", "db"))
    assert incident.started_at == "2026-01-02T03:04:05Z"
    (root / "incident.json").unlink()
    assert Bundle.open(root).incident.title == "Slow"


def test_an_output_nested_beyond_reason_is_a_gap_and_the_others_are_read(root: Path) -> None:
    deep = "[" * 2000 + "]" * 2000
    (root / "commands.json").write_text('{"free -m": "Mem: 1 2 3", "kubectl get pods -o json": ' + deep + "}")
    bundle = Bundle.open(root)
    assert bundle.commands.get("free -m") == "Mem: 1 2 3" or any("commands.json" in gap.source for gap in bundle.gaps)


def test_a_name_that_is_not_utf8_is_a_gap_that_can_be_written(root: Path) -> None:
    Path(os.fsdecode(os.fsencode(root / "logs") + b"/caf\xe9.log")).write_text("hello\n")
    bundle = Bundle.open(root)
    assert [gap.source.encode() for gap in bundle.gaps if "not UTF-8" in gap.source]
    assert all(file.path.encode() for file in bundle.files)
