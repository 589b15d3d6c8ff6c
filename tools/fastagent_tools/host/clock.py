"""Whether the clock is right: `timedatectl`, `chronyc tracking`, `ntpq`."""

import re

from fastagent.state import Finding
from fastagent_tools.commands.reader import Output, Reader
from fastagent_tools.text.citation import Original

_UNSYNCHRONISED = re.compile(
    r"(?:System clock|NTP) synchronized: no\b|Leap status\s*: Not synchronised|stratum 16\b|unsynchronised",
    re.IGNORECASE,
)
_OFFSET = re.compile(
    r"(?:System time\s*:\s*(?P<chrony>[\d.]+) seconds (?P<way>slow|fast)"
    r"|Offset: (?P<td>[-+]?[\d.]+)(?P<unit>us|ms|s)\b)"
)
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_FITS = re.compile(
    r"clock synchronized:|Leap status\s*:|NTP synchronized:|System time\s*:\s*[\d.]+ seconds", re.IGNORECASE
)
MOST_S = 1.0  # apart; beyond it tokens, certificates and elections begin to fail


def _read(output: Output) -> list[Finding]:
    original = Original(output.text, command=output.command)
    found = []
    if match := _UNSYNCHRONISED.search(output.text):
        said = "the clock is not synchronised"
        found.append(
            original.finding("host.clock.unsynchronised", said, "warning", 0.6, match[0].strip(), needles=(match[0],))
        )
    if match := _OFFSET.search(output.text):
        apart = float(match["chrony"]) if match["chrony"] else abs(float(match["td"])) * _UNITS[match["unit"]]
        if apart >= MOST_S:
            said = f"the clock is {apart:.1f} s {match['way'] or 'off'}"
            found.append(
                original.finding(
                    "host.clock.off", said, "error", 0.8, f"{apart:.1f} s from the true time", needles=(match[0],)
                )
            )
    return found


CLOCK = Reader("clock", lambda output: bool(_FITS.search(output.text)), _read)
