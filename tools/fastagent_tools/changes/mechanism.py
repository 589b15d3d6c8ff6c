"""Ways in which a change brings about a failure of a kind: what must fail, and what the changed lines must touch.

General knowledge of operations and no list of incidents: each pair says that lines of the second kind can cause a
failure of the first. A pair raises a suspicion; it never makes one of a change that is elsewhere or came later.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A kind of failure with the kind of changed lines that can cause it."""

    says: str
    fails: re.Pattern[str]
    touches: re.Pattern[str]


def _mechanism(says: str, fails: str, touches: str) -> Mechanism:
    return Mechanism(says, re.compile(fails, re.IGNORECASE), re.compile(touches, re.IGNORECASE))


MECHANISMS = (
    _mechanism(
        "writes more to disk",
        r"no space left|disk (is )?full|enospc|quota exceeded.{0,30}disk",
        r"\b(debug|trace|verbose)\b|log_?level|sample_?rate|retention|rotat|archiv|dump",
    ),
    _mechanism(
        "holds more memory",
        r"out of memory|oom[-_ ]?kill|heap (space|out)|cannot allocate memory",
        r"cache|buffer|batch|queue|xmx|heap|memory|prefetch|max_?(size|entries)",
    ),
    _mechanism(
        "holds or needs more connections",
        r"too many (clients|connections)|connection slots|pool (is )?(exhausted|timeout)"
        r"|(exhausted|timed out).{0,40}pool",
        r"pool|max_?conn|connections?\b|\bclose\(|keep_?alive|workers|replicas",
    ),
    _mechanism(
        "changes the shape of the data",
        r"deseriali[sz]|unmarshal|failed to (decode|parse)|(missing|unknown) (required )?field"
        r"|schema (mismatch|violation)",
        r"\bjson\b|proto|schema|\bfield|required|seriali[sz]|encod|avro|struct\b",
    ),
    _mechanism(
        "asks the database for something else",
        r"(relation|table|column).{0,60}(does not exist|doesn't exist|not found)|no such (table|column)|unknown column",
        r"\b(select|insert|update|alter|create|drop)\b.{0,80}\b(from|into|table|column|set)\b|migration",
    ),
    _mechanism(
        "changes what is trusted",
        r"unauthori[sz]ed|forbidden|\b40[13]\b|(token|signature|jwt).{0,30}(invalid|expired|reject|fail)",
        r"token|jwt|issuer|audience|secret|\brole\b|scope|leeway|skew|signature|\bauth",
    ),
    _mechanism(
        "changes what is linked or installed",
        r"module ?not ?found|no module named|cannot find (module|package)|duplicate registration|undefined symbol"
        r"|importerror|nosuchmethod|incompatible.{0,30}version|version.{0,30}incompatible",
        r"\bimport\b|require|\bv?\d+\.\d+\.\d+\b|install",
    ),
)  # fmt: skip


def mechanism(failing: str, changed: str) -> str:
    """How the changed lines can have caused what fails, in words; "" where no known way leads from one to the other."""
    found = (m for m in MECHANISMS if m.fails.search(failing) and m.touches.search(changed))
    return next((m.says for m in found), "")
