"""Regular expressions that somebody else wrote: a model, a user, a playbook. RE2 runs them in linear time."""

from typing import Any

import re2

from fastagent.errors import InputError

MAX_PATTERN_CHARS = 2_000


def compile_pattern(text: str, *, ignore_case: bool = True) -> Any:
    """A compiled pattern with `search` and `finditer` over str. Raises `InputError` naming the fault."""
    if len(text) > MAX_PATTERN_CHARS:
        raise InputError(f"pattern of {len(text)} characters; at most {MAX_PATTERN_CHARS} are taken")
    options = re2.Options()
    options.log_errors = False  # else RE2 writes to stderr by itself
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not a regular expression"
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise InputError(f"pattern {text!r}: {reason} (RE2 syntax: no look-around, no back-references)") from None
