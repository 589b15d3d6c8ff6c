import pytest

from fastagent_tools.commands.reader import Output
from fastagent_tools.host.usage import USAGE


def read(text: str, command: str = "du -sk /srv/data/* | sort -rn") -> list[tuple[str, str]]:
    output = Output(command, text, {})
    return [(f.entity, f.quote) for f in USAGE.read(output)] if USAGE.fits(output) else []


def test_the_folder_that_holds_more_than_all_others_is_named_after_its_owner() -> None:
    assert read("18064\t/srv/data/exporter\n2396\t/srv/data/cache\n20\t/srv/data/journal\n") == [
        ("exporter", "18064\t/srv/data/exporter")
    ]


def test_totals_of_folders_that_are_listed_themselves_do_not_count() -> None:
    assert read("20G\t/srv\n18G\t/srv/exporter/data\n2G\t/srv/cache\n")[0][0] == "exporter"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("5\t/a/x\n5\t/a/y\n4\t/a/z\n", "du -sk /a/*"),
        ("18064\t/srv/data/exporter\n", "du -sk /srv/data/exporter"),
        ("201\t/a/x\n1\t/a/y\n", "du -a --inodes /a"),
        ("du: cannot access '/x': No such file\n", "du -sk /x"),
        ("18064\t/srv/data/exporter\n1\t/srv/x\n", "ls -l"),
    ],
)
def test_where_nobody_holds_most_nobody_is_named(text: str, command: str) -> None:
    assert read(text, command) == []
