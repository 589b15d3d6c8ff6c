"""Archives: what is in them is read; what would do harm, or is broken, is left out and told."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from fastagent import archive
from fastagent.archive import is_archive, unpack
from fastagent.bundle import Bundle
from fastagent.errors import InputError

LOG = b"2026-01-01T10:00:00Z ERROR web: no\n" * 200


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def tarred(path: Path, files: dict[str, bytes], mode: str = "w:gz", *entries: tarfile.TarInfo) -> Path:
    with tarfile.open(path, mode) as target:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            target.addfile(info, io.BytesIO(content))
        for entry in entries:
            target.addfile(entry)
    return path


@pytest.mark.parametrize("folder", ["", "incident-7/", "a/b/"])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_bundle_is_found_however_deep_it_was_packed(tmp_path: Path, folder: str, pack: object) -> None:
    path = pack(tmp_path / "x", {f"{folder}logs/web.log": LOG, f"{folder}incident.json": b'{"title": "T"}'})  # type: ignore[operator]
    bundle = Bundle.open(path)
    assert bundle.incident.title == "T"
    assert [f.path for f in bundle.of_part("log")] == ["logs/web.log"]
    assert bundle.locate("logs/web.log").read_bytes() == LOG
    root = bundle.root
    bundle.close()
    assert not root.exists()


def test_an_untitled_archive_is_called_by_its_own_name(tmp_path: Path) -> None:
    assert Bundle.open(zipped(tmp_path / "friday.zip", {"logs/web.log": LOG})).incident.title.endswith("friday.zip")


@pytest.mark.parametrize("name", ["../evil.log", "/evil.log", "logs/../../evil.log", "..\\evil.log"])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_nothing_lands_outside_the_folder(tmp_path: Path, name: str, pack: object) -> None:
    path = pack(tmp_path / "x", {name: b"evil", "logs/web.log": LOG})  # type: ignore[operator]
    unpacked = unpack(path)
    assert {p.name for p in unpacked.folder.path.rglob("*") if p.is_file()} == {"web.log"}
    assert not (tmp_path / "evil.log").exists()
    assert len(unpacked.gaps) == 1


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    link, device = tarfile.TarInfo("logs/link.log"), tarfile.TarInfo("logs/null")
    link.type, link.linkname, device.type = tarfile.SYMTYPE, "/etc/passwd", tarfile.CHRTYPE
    unpacked = unpack(tarred(tmp_path / "x", {"logs/web.log": LOG}, "w", link, device))
    assert [p.name for p in unpacked.root.rglob("*") if p.is_file()] == ["web.log"]
    assert len(unpacked.gaps) == 2


def test_a_bomb_stops_at_the_limit_whatever_size_it_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000_000)
    unpacked = unpack(zipped(tmp_path / "x.zip", {"logs/web.log": LOG, "logs/zeros.log": bytes(50_000_000)}))
    assert sum(p.stat().st_size for p in unpacked.root.rglob("*") if p.is_file()) <= 1_000_000
    assert any(gap.reason == "too_large" for gap in unpacked.gaps)


def test_a_tar_that_was_cut_off_gives_what_stands_before(tmp_path: Path) -> None:
    whole = tarred(tmp_path / "x", {"logs/a.log": LOG, "logs/b.log": LOG * 500}, "w").read_bytes()
    cut = tmp_path / "cut.tar"
    cut.write_bytes(whole[: len(whole) // 2])
    unpacked = unpack(cut)
    assert (unpacked.root / "logs" / "a.log").read_bytes() == LOG
    assert unpacked.gaps


def test_a_zip_that_was_cut_off_says_so(tmp_path: Path) -> None:
    cut = tmp_path / "cut.zip"
    cut.write_bytes(zipped(tmp_path / "x.zip", {"logs/a.log": LOG}).read_bytes()[:100])
    with pytest.raises(InputError, match="cut off"):
        Bundle.open(cut)


def test_a_file_that_is_no_archive_is_told_apart(tmp_path: Path) -> None:
    plain = tmp_path / "plain.log"
    plain.write_bytes(LOG)
    assert not is_archive(plain)
    with pytest.raises(InputError, match="neither a directory nor a zip or tar"):
        Bundle.open(plain)
