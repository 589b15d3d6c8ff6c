"""Redis: how full its memory is and what it does then, as `redis-cli info` and `config get` print it."""

import re
from collections.abc import Mapping

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_INFO = re.compile(r"^(?P<name>[a-z_0-9]+):(?P<value>[^\r\n]*)\r?$", re.MULTILINE)
_FITS = re.compile(
    r"^(?:redis_version|used_memory|maxmemory|connected_clients|master_link_status|rdb_last_bgsave_status):",
    re.MULTILINE,
)
FULL, NEARLY = 0.97, 0.85
_REFUSES = "noeviction"


def _read(output: Output) -> list[Finding]:
    info = {m["name"]: m["value"].strip() for m in _INFO.finditer(output.text)}
    original = Original(output.text, command=output.command)
    return _memory(info, original) + _clients(info, original) + _replication(info, original) + _saving(info, original)


def _memory(info: Mapping[str, str], original: Original) -> list[Finding]:
    used, most = _whole(info, "used_memory"), _whole(info, "maxmemory")
    if not used or not most or used / most < NEARLY:
        return []
    policy = info.get("maxmemory_policy", "")
    share = used / most
    refuses = policy == _REFUSES
    shown = f"{info.get('used_memory_human', used)} of {info.get('maxmemory_human', most)}"
    said = f"redis uses {shown} (maxmemory, {share:.0%}), policy {policy or 'unknown'}"
    said += (
        ": writes are refused"
        if refuses
        else f": {info.get('evicted_keys', 'some')} keys were evicted"
        if policy
        else ""
    )
    severity: Severity = "critical" if refuses and share >= FULL else "warning"
    score = 0.92 if severity == "critical" else 0.55
    return [_finding(original, "memory", said, severity, score, f"{share:.0%} of maxmemory", "used_memory:")]


def _clients(info: Mapping[str, str], original: Original) -> list[Finding]:
    refused, blocked = _whole(info, "rejected_connections"), _whole(info, "blocked_clients")
    found = []
    if refused:
        said = f"redis has refused {refused} connections (maxclients {info.get('maxclients', '?')})"
        found.append(
            _finding(original, "clients", said, "error", 0.75, "maxclients was reached", "rejected_connections:")
        )
    if blocked and blocked >= 20:
        said = f"{blocked} clients of redis are blocked"
        found.append(_finding(original, "clients", said, "info", 0.3, "blocking commands wait", "blocked_clients:"))
    return found


def _replication(info: Mapping[str, str], original: Original) -> list[Finding]:
    if info.get("master_link_status") != "down":
        return []
    said = f"redis has lost its master {info.get('master_host', '')}: the replication link is down"
    return [_finding(original, "replication", said, "error", 0.8, "link down", "master_link_status:")]


def _saving(info: Mapping[str, str], original: Original) -> list[Finding]:
    if info.get("rdb_last_bgsave_status") != "err":
        return []
    said = "redis cannot save its snapshot (last bgsave failed); by default it then refuses writes"
    return [_finding(original, "saving", said, "error", 0.75, "bgsave failed", "rdb_last_bgsave_status:")]


def _whole(info: Mapping[str, str], name: str) -> int:
    value = info.get(name, "")
    return int(value) if value.isdigit() and len(value) < 19 else 0


def _finding(
    original: Original, name: str, said: str, severity: Severity, score: float, reason: str, needle: str
) -> Finding:
    return original.finding(f"redis.{name}", said, severity, score, reason, entity="redis", needles=(needle,))


REDIS = Reader("redis", lambda output: bool(_FITS.search(output.text)), _read)
