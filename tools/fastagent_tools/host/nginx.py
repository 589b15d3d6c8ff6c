"""Whether nginx accepts its configuration: `nginx -t`."""

import re

from fastagent.state import Finding, Severity
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_PROBLEM = re.compile(r"^nginx: \[(?P<level>emerg|alert|crit|error|warn)\] (?P<says>.*)$", re.MULTILINE)
_TESTED = re.compile(
    r"nginx: configuration file \S+ test (?:failed|is successful)|nginx: the configuration file \S+ syntax is ok"
)


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    found = []
    for match in _PROBLEM.finditer(output.text):
        warns = match["level"] == "warn"
        said = f"nginx {'warns' if warns else 'does not accept its configuration'}: {match['says']}"
        severity: Severity = "warning" if warns else "critical"
        score = 0.35 if warns else 0.9
        found.append(
            original.finding(
                "host.nginx.config", said, severity, score, match["level"], entity="nginx", needles=(match[0],)
            )
        )
    return found[:5]


NGINX = Reader("nginx", lambda output: bool(_TESTED.search(output.text) or _PROBLEM.match(output.text)), _read)
