"""What a diff does to what runs: little where it moves code, raises a patch level or nudges a value."""

import pytest

from fastagent_tools.changes.effect import MOVES, NUDGES, PATCHES, effect_of

EXTRACTED = """\
-    handle = open_file(path, APPEND)
-    handle.write(line)
+    append(path, line)
+def append(path, line):
+    handle = open_file(path, APPEND)
+    handle.write(line)
"""


@pytest.mark.parametrize(
    ("diff", "share"),
    [
        (EXTRACTED, MOVES),
        ("-  cfg.strict = true\n+  Config{strict: true, cfg}", MOVES),
        ("-  github.com/acme/store v1.4.1\n+  github.com/acme/store v1.4.2", PATCHES),
        ('-    "left-pad": "^2.0.1",\n+    "left-pad": "^2.0.9",', PATCHES),
        ("-requests==2.31.0\n+requests==2.31.1", PATCHES),
        ("-  retries: 3\n+  retries: 4", NUDGES),
        ("-  timeout: 3s\n-  size: 10\n+  timeout: 5s\n+  size: 12", NUDGES),
    ],
)
def test_a_change_that_alters_little_is_less_of_a_suspect(diff: str, share: float) -> None:
    assert effect_of(diff).share == share


@pytest.mark.parametrize(
    "diff",
    [
        "",
        "-    if user is None: return\n",
        "-  retries: 3\n+  retries: 300",
        "-  level: info\n+  level: debug",
        "-  github.com/acme/store v1.4.1\n+  github.com/acme/store v2.0.0",
        "-    handle = open_file(path)\n+    handle = open_file(path)\n+    sleep(30)",
        "@@ -1,2 +1,2 @@\n--- a/x\n+++ b/x\n",
        "\x00garbage\n+\n-\n",
    ],
)
def test_a_change_that_alters_what_code_does_is_a_whole_suspect(diff: str) -> None:
    assert effect_of(diff).share == 1.0


def test_names_are_what_was_taken_out_or_put_in_and_not_what_stands_around() -> None:
    assert effect_of('-  Meta map `json:"meta"`\n+  Labels map `json:"labels"`').names == {"meta", "labels"}


def test_a_package_is_called_by_the_end_of_its_path() -> None:
    assert "store" in effect_of("-  github.com/acme/store/v2 v2.1.0\n+  github.com/acme/store/v2 v2.2.0").names
