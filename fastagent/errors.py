"""Every error a caller may meet, in one tree.

    FastagentError
    ├── BudgetError            a limit of this run was reached; the message names it
    │   └── DeadlineExceeded   work was cancelled at its deadline; the message names the work
    ├── ToolError              the model should read this and work around it (an observation with ok=False)
    ├── ModelError             the back end failed
    │   ├── ModelUnavailable   worth retrying while the budget lasts
    │   └── ModelRefused       a 4xx, a context too long: not worth retrying
    ├── InputError             what the caller handed in cannot be read: path, bundle, alert, option
    └── PlaybookError          file, line and field of a bad playbook

A tool that raises anything else has a bug: called by itself it propagates, in a run it costs that tool's evidence and
stands in the report's notes. A spent budget ends the search, never the answer.
"""


class FastagentError(Exception):
    """Base of everything this library raises on purpose."""


class BudgetError(FastagentError):
    """A limit of the run was reached. The message names the limit."""


class DeadlineExceeded(BudgetError):  # noqa: N818 - the field's own name for it
    """Work was cancelled at its deadline; the message names the work, e.g. "act:search_logs"."""


class ToolError(FastagentError):
    """A failure that the model should read and work around."""


class ModelError(FastagentError):
    """The back end did not give a usable answer."""


class ModelUnavailable(ModelError):  # noqa: N818
    """The back end is down, busy or answers garbage. `retry_after_s` is what it asked for, if it did."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelRefused(ModelError):  # noqa: N818
    """The back end understood the request and said no; asking again will not help."""


class InputError(FastagentError):
    """The caller's input cannot be used. The message says what is wrong and what to do."""


class PlaybookError(FastagentError):
    """A playbook that does not fit its schema. The message gives file, line and field."""
