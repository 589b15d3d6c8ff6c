"""The kernel's out-of-memory killer, as `dmesg` and `journalctl -k` print it, and a cgroup's `memory.events`."""

import re

from fastagent.state import Finding
from fastagent_tools.commands.lines import findings_in
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original, merged

_KILLED = re.compile(
    r"(?P<cgroup>Memory cgroup o|O)ut of memory: Kill(?:ed)? process (?P<pid>\d+) \((?P<name>[^)]+)\)(?P<rest>.*)"
)
_RSS = re.compile(r"anon-rss:(\d+)kB")
_CGROUP = re.compile(r"(?:task_memcg|oom_memcg)=(?P<path>/[^,\s]*)")
_USAGE = re.compile(r"memory: usage (\d+)kB, limit (\d+)kB, failcnt (\d+)")
_EVENTS = re.compile(r"^(low|high|max|oom|oom_kill|under_oom|oom_kill_disable) (\d+)$", re.MULTILINE)
_EVENT_NAMES = {"max", "oom", "oom_kill"}


def _fits(output: Output) -> bool:
    return bool(_KILLED.search(output.text))


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    killed = [_killed(m, output.text, original) for m in _KILLED.finditer(output.text)]
    quotes = {f.quote for f in killed}
    return merged(killed) + [f for f in findings_in(output) if f.quote not in quotes]


def _killed(match: re.Match[str], text: str, original: Original) -> Finding:
    near = text[max(match.start() - 4_000, 0) : match.end()]
    rss, usage = _RSS.search(match["rest"]), list(_USAGE.finditer(near))
    groups = list(_CGROUP.finditer(near))
    said = f"the kernel killed {match['name']} (pid {match['pid']}) for lack of memory"
    said += f", resident {int(rss[1]) // 1024} MiB" if rss else ""
    said += f"; its cgroup {groups[-1]['path']} had reached its limit" if groups and match["cgroup"] != "O" else ""
    said += f" of {int(usage[-1][2]) // 1024} MiB" if usage else ""
    entity = _named(groups[-1]["path"]) if groups and match["cgroup"] != "O" else ""
    reason = "a limit of its cgroup" if match["cgroup"] != "O" else "the whole machine ran out"
    return original.finding(
        "host.oom.killed", said, "critical", 0.93, reason, entity=entity or match["name"], needles=(match[0],)
    )


def _named(path: str) -> str:
    """A cgroup that is called after somebody; "" for ids of containers, slices and scopes."""
    last = path.rstrip("/").rpartition("/")[2]
    last = re.sub(r"\.(service|scope|slice)$", "", last)
    return "" if re.search(r"[0-9a-f]{12}|^(user|system|session|kubepods|docker)\b", last) else last


def _fits_events(output: Output) -> bool:
    return {m[1] for m in _EVENTS.finditer(output.text)} >= {"oom_kill"}


def _read_events(output: Output) -> list[Finding]:
    counts = {m[1]: int(m[2]) for m in _EVENTS.finditer(output.text)}
    group = re.search(r"(/\S+)/memory\.(?:events|oom_control)", output.command)
    entity = group[1].rpartition("/")[2] if group else ""
    if not counts.get("oom_kill"):
        return []
    told = ", ".join(f"{name} {counts[name]}" for name in sorted(_EVENT_NAMES & counts.keys()))
    said = f"cgroup {entity}: {counts['oom_kill']} processes were killed for lack of memory ({told})"
    needle = f"oom_kill {counts['oom_kill']}"
    original = Original(output.text, command=output.command)
    return [
        original.finding(
            "host.oom.cgroup", said, "critical", 0.88, "its memory limit was hit", entity=entity, needles=(needle,)
        )
    ]


OOM = Reader("oom", _fits, _read)
CGROUP_EVENTS = Reader("cgroup-events", _fits_events, _read_events)
