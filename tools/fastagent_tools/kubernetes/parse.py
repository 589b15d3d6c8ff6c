"""Any output that shows Kubernetes objects, as objects: told by its shape, whichever command or tool printed it."""

import re
from functools import lru_cache
from typing import Any

import orjson
import yaml

from fastagent_tools.kubernetes.api import cluster_of
from fastagent_tools.kubernetes.describe import cluster_of_description
from fastagent_tools.kubernetes.model import Cluster
from fastagent_tools.kubernetes.tables import is_header, tables
from fastagent_tools.kubernetes.text import bare_pods, cluster_of_rows

MAX_YAML_CHARS = 1_000_000  # parsing takes about a second for that many
_SNIFF_CHARS = 6_000
_WRAPPER = re.compile(r"\A\s*(?:stdout:\s*\n|\s*Command `[^`]*`[^\n]*\n\s*Output:\s*\n)?\s?\"?(?=\S)")
_JSON = re.compile(r"\A[\[{]")
_KUBERNETES_JSON = re.compile(
    r"\"(?:apiVersion|involved_?[oO]bject|containerStatuses|restart_?[cC]ount|warning_events)\""
)
_YAML = re.compile(r"\A(?:---\s*\n)?(?:- )?apiVersion: \S+|\Akind: \w+\n|\Aitems:\n", re.MULTILINE)
_DESCRIPTION = re.compile(
    r"\AName:\s+\S.*\n(?:Namespace|Labels|Roles|Priority|CreationTimestamp|Created by):", re.MULTILINE
)
_POD_ROW = re.compile(r"\A(?:[a-z0-9-]+\s+)?[a-z0-9][a-z0-9.-]+\s+\d+/\d+\s+[A-Z][\w:/-]+\s+\d+(?: \(\S+ ago\))?\s+\d+")


def shape(text: str) -> str:
    """json, yaml, description, table, rows, or "" for a text that shows no objects."""
    head = unwrapped(text[:_SNIFF_CHARS])
    if _JSON.match(head):
        return "json" if _KUBERNETES_JSON.search(text[: 10 * _SNIFF_CHARS]) else ""
    if _YAML.match(head):
        return "yaml"
    if _DESCRIPTION.match(head):
        return "description"
    first = head.partition("\n")[0]
    if is_header(first):
        return "table"
    return "rows" if _POD_ROW.match(head) else ""


def unwrapped(text: str) -> str:
    """The text without what tools put around it: `stdout:`, a quotation mark, the failed command."""
    return _WRAPPER.sub("", text, count=1)


@lru_cache(maxsize=64)
def cluster_in(text: str, command: str = "") -> Cluster:
    """All objects that a text shows; none where it cannot be read. Never changed by its readers."""
    kind = shape(text)
    if kind in ("json", "yaml"):
        return cluster_of(_document(unwrapped(text), kind))
    lines = unwrapped(text).splitlines()
    if kind == "description":
        return cluster_of_description(lines)
    if kind == "rows":
        return bare_pods(lines)
    found = Cluster()
    for rows in tables(lines) if kind == "table" else ():
        found.add(cluster_of_rows(rows, command))
    return found


def _document(text: str, kind: str) -> Any:
    """The parsed document; nothing where it is broken or too deep to be read."""
    try:
        if kind == "json":
            return orjson.loads(_trimmed(text))
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return list(yaml.load_all(_before_errors(text[:MAX_YAML_CHARS]), Loader=loader))
    except (ValueError, yaml.YAMLError, RecursionError):
        return None


def _trimmed(text: str) -> str:
    """JSON up to its last bracket: what follows is another stream's."""
    return text[: max(text.rfind("}"), text.rfind("]")) + 1]


def _before_errors(text: str) -> str:
    return re.split(r"^stderr:", text, maxsplit=1, flags=re.MULTILINE)[0]
