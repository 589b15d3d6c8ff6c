import incident_playbooks
from fastagent.playbook import load_folder, load_playbooks


def test_the_folder_is_where_the_package_is() -> None:
    assert incident_playbooks.__file__ is not None
    assert incident_playbooks.folder().samefile(incident_playbooks.__path__[0])


def test_every_folder_in_it_is_a_playbook() -> None:
    folders = {p.name for p in incident_playbooks.folder().iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert folders == {p.id for p in load_folder(incident_playbooks.folder())}


def test_the_entry_point_offers_all_of_them() -> None:
    assert {p.id for p in load_folder(incident_playbooks.folder())} <= {p.id for p in load_playbooks()}
