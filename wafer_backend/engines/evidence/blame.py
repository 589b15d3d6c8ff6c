"""Which entity is to blame, and in which words of the answer space.

The playbook that explains the incident says whom its kind of failure is blamed on. Without one, entities are ranked
by their alarming findings; one that others merely complain about stands below one that misbehaves itself only if the
findings say so, which is what their scores are for.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from wafer_backend.engines.evidence.case import Case, Finding
from wafer_backend.engines.evidence.weigh import Hypothesis, compiled

_SAID_BY_OTHERS = ("log.", "command.")  # findings whose entity is who speaks, and not who is spoken of
_HEALTHY = ("none", "healthy", "no_fault", "normal", "no_issue", "false_alarm")
_CHANGE = re.compile(r"(commit|deploy|flag) (\S+)")  # how a tool's statement about a change begins
# What others call our categories, nearest first, where the answer space has no word in common with ours.
_NEAREST = {
    "deployment": ("config", "code", "change"),
    "permission": ("config", "security", "auth"),
    "scheduling": ("resource", "infra", "config"),
    "network": ("infra", "dependency"),
    "dependency_failure": ("network", "infra", "external"),
    "traffic": ("resource", "load", "capacity"),
    "data": ("schema", "code"),
}
# Kinds of failure by what the unexplained message says, most specific first. The words are those of common software.
_CATEGORY_WORDS = (
    ("permission", r"permission denied|access denied|forbidden|unauthori[sz]ed|\b40[13]\b|not authorized"),
    (
        "resource_exhaustion",
        r"out of (memory|storage)|oom|no space|quota|too many|exhausted|limit exceeded|throttl|max_connections",
    ),
    ("network", r"refused|unreachable|timed? ?out|no route|name resolution|reset by peer|\bdns\b"),
    ("configuration", r"invalid (?:config|value|option)|not set|missing (?:env|key|config)|no such file"),
    ("code_defect", r"traceback|exception|panic|segfault|null ?pointer|assert|undefined|nil pointer|\btypeerror\b"),
    ("data", r"schema|constraint|duplicate key|corrupt|syntax error|deserializ|parse error"),
)  # fmt: skip


def ranking(case: Case, believed: Sequence[Hypothesis]) -> list[tuple[str, float]]:
    """Every entity that was weighed with its score, best first: as the tools rank them, else by what is alarming."""
    doubt: dict[str, float] = {}
    for finding in case.alarming:
        if finding.entity:
            doubt[finding.entity] = doubt.get(finding.entity, 1.0) * (1 - 0.9 * finding.score)
    scores = dict(case.candidates) or {entity: 1 - d for entity, d in doubt.items()}
    top = believed[0] if believed else None
    if top is not None and (named := component(top)):
        # The explanation's own culprit leads; what merely fails in its wake is scaled below it.
        scores = {entity: score * (1 - top.belief) for entity, score in scores.items()}
        scores[named] = max(scores.get(named, 0.0), top.belief)
    return sorted(((e, round(s, 4)) for e, s in scores.items()), key=lambda pair: (-pair[1], pair[0]))


def component(hypothesis: Hypothesis) -> str:
    """The entity that the hypothesis blames: by its playbook's rule, else of its strongest finding that names one."""
    findings = sorted((f for _, f in hypothesis.supports), key=lambda f: -f.score)
    return culprit(hypothesis) or next((f.entity for f in findings if f.entity), "")


def culprit(hypothesis: Hypothesis) -> str:
    """Whom the playbook's rule names; "" where the evidence shows the failure but not yet who brings it about."""
    findings = sorted((f for _, f in hypothesis.supports), key=lambda f: -f.score)
    rule = (hypothesis.playbook or {}).get("component") or {}
    for kind in rule.get("kinds", ()):
        fitting = [f for f in findings if fnmatchcase(f.kind, kind)]
        if named := next((name for f in fitting if (name := _named(rule, f))), ""):
            return named
    return ""


def is_unnamed(hypothesis: Hypothesis) -> bool:
    """Whether the playbook says whom its kind of failure is blamed on, and no finding shows that one."""
    rule = (hypothesis.playbook or {}).get("component") or {}
    return bool(rule.get("kinds")) and not culprit(hypothesis)


def _named(rule: Mapping[str, Any], finding: Finding) -> str:
    """The finding's entity, or what the rule's pattern catches in its quote: callers name the callee that failed."""
    pattern = str(rule.get("named_in_quote") or "")
    if not pattern or not finding.kind.startswith(_SAID_BY_OTHERS):
        return finding.entity
    match = compiled(pattern).search(finding.quote)
    return str(match.group(1)) if match and match.groups() else ""


def category(case: Case, hypothesis: Hypothesis) -> str:
    """The hypothesis's category, in the words of the answer space where there is one."""
    said = str(hypothesis.playbook["category"]) if hypothesis.playbook else _by_words(hypothesis.supports[0][1])
    return _worded(case, hypothesis, "categories", said) or said


def label(case: Case, hypothesis: Hypothesis) -> str | None:
    """The id of the playbook that explains it, or the answer space's label for it."""
    said = str(hypothesis.playbook["id"]) if hypothesis.playbook else ""
    return _worded(case, hypothesis, "labels", said) or said or None


def nothing_wrong(case: Case) -> str:
    """How the answer space calls an incident that is none; "" where it has no word for it: then there is a fault."""
    space = _strings((case.incident.get("answer_space") or {}).get("categories"))
    return next((word for word in space if word.lower() in _HEALTHY), "" if space else "none")


def _worded(case: Case, hypothesis: Hypothesis, which: str, said: str) -> str:
    """The word of the answer space that fits best; "" where there is none to choose from."""
    space = _strings((case.incident.get("answer_space") or {}).get(which))
    if not space or said in space:
        return said if space else ""
    if said != "unknown":  # a fault that is known is neither health nor a riddle, whatever its words
        space = [word for word in space if word.lower() not in (*_HEALTHY, "unknown")] or space
    playbook = hypothesis.playbook or {}
    names = f"{said} {playbook.get('category', '')} {' '.join(playbook.get('also_called', ()))}".lower()
    text = " ".join(f.words for _, f in hypothesis.supports).lower()
    best = max(space, key=lambda word: (_overlap(word, names, text), -space.index(word)))
    near = (word for part in _NEAREST.get(said, ()) for word in space if part in word.lower())
    return best if _overlap(best, names, "") else next(near, best)


def _by_words(finding: Finding) -> str:
    return next((name for name, words in _CATEGORY_WORDS if re.search(words, finding.words, re.IGNORECASE)), "unknown")


def _overlap(word: str, said: str, text: str) -> float:
    """How many parts of a category's name stand in the evidence; those of our own category count double."""
    parts = [p for p in re.split(r"[_\W]+", word.lower()) if len(p) > 2]
    stems = [p.rstrip("s") for p in parts]
    return sum(2 * (s in said) + (s in text) for s in stems) / max(1, len(stems))


def _strings(value: Any) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list | tuple) else []


def change(case: Case) -> dict[str, str] | None:
    """The change to blame: the tool's first suspect, or "none" where it says that none explains it."""
    told = [f for f in case.findings if f.kind.startswith("change.")]
    none = next((f for f in told if f.kind == "change.none"), None)
    if none is not None:
        return {"kind": "commit", "commit": "none", "why": none.reason or none.statement}
    for finding in told:
        named = _CHANGE.match(finding.statement)
        if named and finding.severity in ("warning", "error"):
            return {"kind": named[1], "commit": named[2], "why": finding.reason}
    return None


def playbook_label(hypothesis: Hypothesis) -> str | None:
    """The id of the playbook that explains it."""
    playbook: Mapping[str, Any] | None = hypothesis.playbook
    return str(playbook["id"]) if playbook else None
