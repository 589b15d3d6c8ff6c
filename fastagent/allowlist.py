"""Which command lines may be run on a live system: programs that only read, and of each the arguments that only read.

A list of what is allowed, never of what is forbidden: a new flag of a program is refused until somebody has thought
about it. Nothing goes through a shell, so `;`, `|`, `$( )` are arguments like any other and are refused as such.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastagent.errors import ToolError

WORD = r"[A-Za-z0-9][\w.:/@%=+,~-]*"  # a name, a path, a selector; never a flag
NUMBER = r"\d{1,6}[smhd]?"


@dataclass(frozen=True, slots=True)
class Rule:
    """How a program may be called. `verbs`: what its words begin with; () where none is needed."""

    verbs: tuple[tuple[str, ...], ...] = ((),)
    flags: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)  # flag -> pattern of its value
    words: tuple[str, ...] = ()  # patterns of the words after the verb, by position
    needs: frozenset[str] = frozenset()  # one of these flags must be there


def _verbs(*lines: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in lines)


# Secrets stay where they are, whatever they are called; `all` would list them in some clusters.
_KIND = r"(?!.*(?i:secret))(?!(?i:all)\b)[A-Za-z]+(\.[a-z.]+)?(,[A-Za-z]+)*(/[\w.-]+)?"
_KUBECTL = {
    "-n": WORD, "--namespace": WORD, "-l": WORD, "--selector": WORD, "-c": WORD, "--container": WORD, "--tail": NUMBER,
    "--since": NUMBER, "--field-selector": WORD, "--sort-by": r"\.[\w.]+", "-o": r"wide|yaml|json|name", "--for": WORD,
    "--output": r"wide|yaml|json|name",
}  # fmt: skip
_KUBECTL_FLAGS = frozenset(
    {"-A", "--all-namespaces", "--show-labels", "--previous", "-p", "--all-containers", "--no-headers", "--containers"}
)
_UNITS = frozenset({"--failed", "--no-pager", "--all", "-l", "--full"})
_MOMENT = r"[\w: .+-]{1,40}"
RULES: Mapping[str, tuple[Rule, ...]] = {
    "kubectl": (
        Rule(_verbs("get", "describe"), _KUBECTL_FLAGS, _KUBECTL, (_KIND, WORD)),
        Rule(
            _verbs("logs", "events", "top pod", "top pods", "top node", "top nodes", "version", "rollout history", "rollout status"),
            _KUBECTL_FLAGS, _KUBECTL, (WORD,),
        ),
    ),
    "systemctl": (
        Rule(_verbs("status", "is-active", "list-units", "list-timers", "show"), _UNITS, {"-n": NUMBER, "--lines": NUMBER}, (WORD, WORD)),
        Rule(flags=_UNITS, needs=frozenset({"--failed"})),
    ),
    "journalctl": (
        Rule(
            flags=frozenset({"--no-pager", "-k", "--dmesg", "-b", "-r", "-q", "--utc"}),
            values={"-u": WORD, "--unit": WORD, "-n": NUMBER, "--lines": NUMBER, "-p": WORD, "--priority": WORD,
                    "--since": _MOMENT, "--until": _MOMENT, "-o": r"short|short-iso|json|cat"},
        ),
    ),
    "docker": (
        Rule(_verbs("ps", "logs", "inspect", "images", "version"), frozenset({"-a", "--all", "-t", "--timestamps", "--no-trunc"}),
             {"--tail": NUMBER, "-n": NUMBER, "--since": NUMBER}, (WORD,)),
        Rule(_verbs("stats"), frozenset({"--no-stream"}), words=(WORD,), needs=frozenset({"--no-stream"})),
    ),
    "df": (Rule(flags=frozenset({"-h", "-i", "-T", "-hT", "-hi", "-P", "-k"}), words=(r"/[\w./-]*",) * 2),),
    "free": (Rule(flags=frozenset({"-m", "-h", "-b", "-k", "-w"})),),
    "ss": (Rule(flags=frozenset({"-l", "-t", "-u", "-n", "-p", "-a", "-s", "-ltn", "-ltnp", "-tn", "-tan", "-tlnp"})),),
    "ps": (Rule(flags=frozenset({"-ef", "-e", "-f", "-a", "--forest"}), values={"--sort": r"-?[%\w,+-]+"}, words=(r"aux|ef|auxf",)),),
    "top": (Rule(flags=frozenset({"-b", "-n1", "-bn1", "-c"}), values={"-n": "1"}, needs=frozenset({"-b", "-bn1"})),),
    "dmesg": (Rule(flags=frozenset({"-T", "--ctime", "-x", "--decode"}), values={"--level": r"[a-z,]+", "-l": r"[a-z,]+"}),),
    "uptime": (Rule(),),
    "vmstat": (Rule(flags=frozenset({"-s", "-d"}), words=(r"\d{1,2}", r"\d{1,2}")),),
    "timedatectl": (Rule((*_verbs("status", "show"), ()), frozenset({"--no-pager"})),),
    "redis-cli": (
        Rule(
            _verbs(*(v for verb in ("info", "dbsize", "client list", "slowlog get", "config get") for v in (verb, verb.upper()))),
            values={"-h": WORD, "-p": NUMBER, "-n": NUMBER}, words=(r"(?!requirepass|masterauth)[a-z][a-z-]{2,40}|\d{1,3}",),
        ),
    ),
    "nslookup": (Rule(words=(r"[A-Za-z0-9][\w.-]*",) * 2),),
    "dig": (Rule(flags=frozenset({"+short", "+tcp"}), words=(r"@?[A-Za-z0-9][\w.-]*",) * 2),),
    "git": (
        Rule(_verbs("log"), frozenset({"--stat", "--oneline", "-p", "--no-merges", "--no-color"}),
             {"-n": NUMBER, "--since": _MOMENT}, (r"[\w./-]+",)),
        Rule(_verbs("show"), frozenset({"--stat"}), words=(r"[0-9a-f]{7,40}",), needs=frozenset({"--stat"})),
    ),
}  # fmt: skip


def checked(command: str) -> list[str]:
    """The argument vector of an allowed command line. Raises `ToolError` that says what is not allowed in it."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise ToolError(f"cannot be read as a command line: {command!r}") from None
    if not words:
        raise ToolError("no command was given")
    rules = RULES.get(words[0])
    if rules is None:
        raise ToolError(f"{words[0]!r} is not allowed; allowed are {', '.join(sorted(RULES))}, to read only")
    problems = [_problem(rule, words[1:]) for rule in rules]
    if all(problems):
        raise ToolError(f"not allowed: {problems[-1]} in {command!r}; only what reads is")
    return words


def _problem(rule: Rule, arguments: list[str]) -> str:
    """What the rule does not allow among the arguments; "" where it allows them."""
    rest, words = list(arguments), list[str]()
    while rest:
        argument = rest.pop(0)
        flag, equals, value = argument.partition("=")
        if argument in rule.flags:
            continue
        if flag in rule.values:
            value = value if equals else rest.pop(0) if rest else ""
            if not re.fullmatch(rule.values[flag], value):
                return f"the value of {flag}"
            continue
        words.append(argument)
    if rule.needs and not rule.needs & set(arguments):
        return f"it without {' or '.join(sorted(rule.needs))}"
    return _wrong_word(rule, words)


def _wrong_word(rule: Rule, words: list[str]) -> str:
    verb = next((v for v in rule.verbs if tuple(words[: len(v)]) == v), None)
    if verb is None:
        return repr(words[0] if words else "nothing")
    further = words[len(verb) :]
    patterns = [*rule.words, *[r"(?!)"] * len(further)]  # beyond those that are expected none is allowed
    return next((repr(w) for w, p in zip(further, patterns, strict=False) if not re.fullmatch(p, w)), "")
