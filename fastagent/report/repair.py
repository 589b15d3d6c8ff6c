"""A repair as a shell script that somebody reads first: it only shows what it would do, unless it is told to apply.

What stands in a report may come from a log or a model. Every command is quoted as one word for `sh -c`, names that
are no plain names never reach a command, and whatever the report leaves open must be given as a variable.
"""

import re
import shlex
from collections.abc import Iterator

from fastagent.allowlist import checked
from fastagent.errors import ToolError
from fastagent.report.text import clean
from fastagent.state import Evidence, Remediation, Report

MOST_CHECKS = 3
_OPEN = re.compile(r"<([^<>\n]{1,60})>")  # a place that the playbook leaves to whoever repairs
_PLAIN = re.compile(r"[\w.:/@-]+")
_HEAD = """\
#!/bin/sh
# {title}
# Nothing is changed unless this is called with --apply; --rollback shows the way back. Read it first.
set -eu
mode="${{1:---show}}"
case "$mode" in --show|--apply|--rollback) ;; *) echo "usage: $0 [--show|--apply|--rollback]" >&2; exit 2;; esac

still_so() {{ # command, words that its output held when this was written
  if sh -c "$1" 2>&1 | grep -qF -- "$2"; then echo "still so: $1"; else
    echo "no longer so: $1 does not say: $2" >&2; [ "$mode" != --apply ] || exit 3; fi
}}
need() {{ # variable, what it is: shown in its place, and asked for before anything is done
  eval "value=\\${{$1:-}}"
  if [ -z "$value" ] && [ "$mode" = --apply ]; then echo "set $1: $2" >&2; exit 2; fi
  [ -n "$value" ] || eval "$1='<$2>'"
}}
step() {{ # what, command
  echo "- $1"
  if [ "$mode" = --apply ]; then echo "  + $2"; sh -c "$2"; else echo "  would run: $2"; fi
}}
"""


def script(report: Report) -> str:
    """The whole script: what is checked again, the steps in order with what verifies them, and the way back."""
    cause = report.root_cause
    title = clean(cause.statement if cause else "nothing to repair")
    steps = list(report.remediation)
    parts = [_HEAD.format(title=title), *_checks(report), *_way_back(steps), *_steps(report, steps)]
    if not steps:
        parts.append('echo "the report names no step of repair"')
    return "\n".join(parts) + "\n"


def _checks(report: Report) -> Iterator[str]:
    """The commands that showed the failure are asked again: a script of yesterday must not repair what is well.

    Only those that the agent itself would run: a recording may hold any command line.
    """
    shown = [e for e in report.evidence if e.source.command and e.supports][:MOST_CHECKS]
    lines = [line for e in shown for line in _check(str(e.source.command), _telling(e))]
    yield 'if [ "$mode" != --rollback ]; then'
    yield from lines or ['  echo "make sure that it still lasts: no command that can be asked again showed it"']
    yield "fi"


def _check(command: str, telling: str) -> Iterator[str]:
    try:
        yield f"  still_so {_word(shlex.join(checked(command)))} {_word(telling)}"
    except ToolError:
        yield f"  echo {_word(f'make sure that this still says {telling!r}: {clean(command)}')}"


def _telling(evidence: Evidence) -> str:
    """The part of a quote that stays the same the next time: figures change."""
    return max(re.split(r"[\d\s]+", clean(evidence.quote)), key=len)


def _way_back(steps: list[Remediation]) -> Iterator[str]:
    yield 'if [ "$mode" = --rollback ]; then'
    yield from (f"  echo {_word(f'{n}. {clean(s.rollback)}')}" for n, s in reversed(list(enumerate(steps, 1))))
    yield "  exit 0\nfi"


def _steps(report: Report, steps: list[Remediation]) -> Iterator[str]:
    """What must be given comes first: nothing is done by halves for want of a value."""
    filled = [_filled(report, clean(step.command)) if step.command else ("", []) for step in steps]
    yield from dict.fromkeys(line for _, needed in filled for line in needed)
    for number, (step, (command, _)) in enumerate(zip(steps, filled, strict=True), 1):
        yield f"\n# Step {number}, risk {clean(step.risk)}."
        if command:
            yield f"step {_word(clean(step.action))} {command}"
        else:
            yield f"echo {_word('- by hand: ' + clean(step.action))}"
        yield f"echo {_word('  verify: ' + clean(step.verify))}"


def _filled(report: Report, command: str) -> tuple[str, list[str]]:
    """The command as one word, with variables for what is open; and lines that ask for them."""
    name = report.root_cause.component if report.root_cause else ""
    if name and not _PLAIN.fullmatch(name):  # it came from evidence, and would be code here
        command = command.replace(name, "<component>")
    names = {match: _variable(match) for match in dict.fromkeys(_OPEN.findall(command))}
    needed = [f"need {variable} {_word(_said(said))}" for said, variable in names.items()]
    word = _word(command)
    for said, variable in names.items():
        word = word.replace(f"<{said}>", f"'\"${variable}\"'")
    return word, needed


def _variable(said: str) -> str:
    """A name of ours: PATH and the like are left to the shell."""
    return "FIX_" + re.sub(r"[^A-Za-z0-9]+", "_", said).strip("_").upper()


def _said(said: str) -> str:
    return re.sub(r"[^A-Za-z0-9 .,-]", "", said)


def _word(text: str) -> str:
    return shlex.quote(text)
