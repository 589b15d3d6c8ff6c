"""`kubectl top`: nodes near their limits, and pods near the memory limit that another output tells."""

import re

from fastagent.state import Finding
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.kubernetes.naming import by_name
from fastagent_tools.kubernetes.parse import cluster_in, unwrapped
from fastagent_tools.kubernetes.tables import Row, tables
from fastagent_tools.kubernetes.workloads import quantity
from fastagent_tools.text.citation import Original

NEARLY = 0.9
_HEADER = re.compile(r"^(?:stdout:\s*)?\"?(?:NAMESPACE\s+)?(?:NAME|POD)\s.*CPU\(cores\)", re.MULTILINE)
_PODS = re.compile(r"(?:get|describe)\b.*\bpo(?:ds?)?\b")


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    limits = _limits(output)
    rows = [row for table in tables(unwrapped(output.text).splitlines()) for row in table]
    return [f for row in rows for f in (*_node(row, original), *_pod(row, limits, original))]


def _limits(output: Output) -> dict[str, float]:
    """Pods and the sum of their containers' memory limits, where each has one."""
    found = {}
    for command, text in output.others.items():
        for pod in cluster_in(text, command).pods:
            limits = [quantity(c.limits.get("memory", "")) for c in pod.containers if not c.init]
            known = [limit for limit in limits if limit]
            if known and len(known) == len(limits):
                found[pod.name] = sum(known)
    return found


def _node(row: Row, original: Original) -> list[Finding]:
    found = []
    for column, what in (("CPU%", "cpu"), ("MEMORY%", "memory"), ("CPU(%)", "cpu"), ("MEMORY(%)", "memory")):
        share = row.get(column).rstrip("%")
        if share.isdigit() and int(share) >= 100 * NEARLY:
            said = f"node {row.name} uses {share}% of its {what}"
            found.append(
                original.finding(
                    f"k8s.node.{what}",
                    said,
                    "warning",
                    0.65,
                    f"{share}% of {what}",
                    entity=row.name,
                    needles=(row.line,),
                )
            )
    return found


def _pod(row: Row, limits: dict[str, float], original: Original) -> list[Finding]:
    used, most = quantity(row.get("MEMORY(bytes)")), limits.get(row.name)
    if not used or not most or used < NEARLY * most:
        return []
    said = f"pod {row.name} uses {row.get('MEMORY(bytes)')} of its memory limit of {most / 2**20:.0f}Mi"
    return [
        original.finding(
            "k8s.pod.memory_near_limit",
            said,
            "warning",
            0.7,
            "close to being killed",
            entity=by_name(row.name),
            needles=(row.line,),
        )
    ]


USAGE = Reader("kubernetes-usage", lambda output: bool(_HEADER.search(output.text[:2_000])), _read, wants=_PODS)
