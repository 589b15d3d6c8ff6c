"""The one place where a failed model call is tried again: only what may pass, and only what fits the deadline."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
from tenacity.wait import wait_base, wait_exponential_jitter

from fastagent.budget import Deadline
from fastagent.errors import ModelUnavailable

T = TypeVar("T")
MAX_ATTEMPTS = 4
FIRST_WAIT_S = 0.1  # a back end that streams a turn in half a second deserves no longer first wait
MAX_WAIT_S = 2.0


class _AsAsked(wait_base):
    """Wait as long as the server asked for, else exponentially."""

    def __init__(self) -> None:
        self._else = wait_exponential_jitter(multiplier=FIRST_WAIT_S, max=MAX_WAIT_S, jitter=FIRST_WAIT_S)

    def __call__(self, retry_state: RetryCallState) -> float:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        asked_s = error.retry_after_s if isinstance(error, ModelUnavailable) else None
        return asked_s if asked_s is not None else self._else(retry_state)


async def with_retries(
    attempt: Callable[[], Awaitable[T]], deadline: Deadline, before_sleep: Callable[[float, BaseException], None]
) -> T:
    """Run `attempt` until it succeeds. Gives up, raising the last error, when the next wait would not fit.

    `before_sleep` is told how long the wait is and why.
    """

    def no_time(retry_state: RetryCallState) -> bool:
        return retry_state.attempt_number >= MAX_ATTEMPTS or retry_state.upcoming_sleep >= deadline.left_s()

    def tell(retry_state: RetryCallState) -> None:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        before_sleep(retry_state.upcoming_sleep, error or ModelUnavailable("?"))

    retrying = AsyncRetrying(
        retry=retry_if_exception_type(ModelUnavailable), wait=_AsAsked(), stop=no_time, before_sleep=tell, reraise=True
    )
    return await retrying(attempt)
