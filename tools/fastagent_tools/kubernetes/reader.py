"""The reader of all outputs that show Kubernetes objects or speak in Kubernetes' words."""

import re
from dataclasses import replace

from fastagent.state import Finding
from fastagent_tools.commands.lines import findings_in
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.kubernetes.health import well
from fastagent_tools.kubernetes.judge import judge
from fastagent_tools.kubernetes.messages import all_meanings, is_over
from fastagent_tools.kubernetes.model import Cluster
from fastagent_tools.kubernetes.naming import by_name
from fastagent_tools.kubernetes.parse import cluster_in, shape
from fastagent_tools.text.citation import Original, merged

_BESIDE = re.compile(  # objects that help to judge others: pods for services, nodes for pods
    r"(?:get|describe)\b.*\b(?:pods?|po|svc|services?|endpoints|ep|nodes?|no|all|deployments?|deploy)\b", re.IGNORECASE
)
_SPEAKS = re.compile(
    r"Back-?off restarting|nodes are available|low on resource|probe failed|FailedMount|exceeded quota|ImagePullBackOff"
    r"|CrashLoopBackOff|OOMKill|is forbidden: User|FailedScheduling|progress deadline|<error: endpoints|NodeNotReady"
)
_POD = re.compile(r"\bpods?[ /]\"?([a-z0-9][a-z0-9.-]+)", re.IGNORECASE)


def _fits(output: Output) -> bool:
    return bool(shape(output.text))


def _read(output: Output) -> list[Finding]:
    cluster = cluster_in(output.text, output.command)
    if not len(cluster):
        return _read_words(output)
    around = Cluster()
    around.add(cluster)
    for command, text in output.others.items():
        around.add(cluster_in(text, command))
    original = Original(output.text, command=output.command)
    found = judge(cluster, original, around)
    if len(cluster) == len(cluster.events):  # the description of something unknown, with its events
        found += [f for f in _read_words(output) if f.kind.startswith("k8s.") and not found]
    if all(f.severity == "info" for f in found):
        found += [
            original.finding(f"k8s.healthy.{name}", said, "info", 0.1, "ready", entity=entity, needles=(entity,))
            for said, name, entity in well(cluster)
        ]
    return found


def _speaks(output: Output) -> bool:
    return not shape(output.text) and bool(_SPEAKS.search(output.text))


def _read_words(output: Output) -> list[Finding]:
    """Lines of any text that say what Kubernetes says of a fault, beside what the general reader makes of it."""
    original = Original(output.text, command=output.command)
    found = []
    for line, meaning in all_meanings(output.text.splitlines()[:5_000]):
        named = _POD.search(line)
        made = original.finding(
            meaning.kind, f"{meaning.says}: {line.strip()}", meaning.severity, meaning.score - 0.05, meaning.says,
            entity=by_name(named[1]) if named else "", needles=(line.strip(),),
        )  # fmt: skip
        found.append(replace(made, severity="info", score=0.2) if is_over(line) else made)
    said = {f.quote for f in found}
    return merged(found) + [f for f in findings_in(output) if f.quote not in said]


KUBERNETES = Reader("kubernetes", _fits, _read, wants=_BESIDE)
KUBERNETES_WORDS = Reader("kubernetes-words", _speaks, _read_words)
