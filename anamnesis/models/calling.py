"""Calls of models, with a time limit and retries; a model that does not respond is not called.

One place for all callers, ``anamnesis.models.chat.ask``. Each call runs in a separate thread, which
is abandoned at the deadline: a provider that sends one byte per second blocks that thread, but no
run.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar, copy_context
from math import isfinite
from threading import Condition, Event, Thread
from typing import Any, TypeVar
from weakref import finalize

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential,
    wait_random,
)

from anamnesis.awaiting import EitherWay
from anamnesis.context_variable import setting_variable
from anamnesis.errors import ModelError, UnansweredError
from anamnesis.limits import limits
from anamnesis.models.once import LoadedObjects
from anamnesis.models.wrapped import core

_PATIENCE = 10.0  # seconds without a reply to one call after which no other call is started
_BUSY = (408, 425, 429)  # statuses below 500 after which another attempt may succeed
_backing_off = wait_exponential(multiplier=0.2, max=5) + wait_random(0, 0.2)

_until: ContextVar[float | None] = ContextVar("anamnesis_until", default=None)
_guards = LoadedObjects[str | int, "Guard"]()
T = TypeVar("T")


def with_deadline(moment: float | None) -> AbstractContextManager[None]:
    """Calls within the block end at that value of ``time.monotonic``; None: there is no limit."""
    return setting_variable(_until, moment)


def time_left() -> float | None:
    """Seconds that are left to the run; None if it has no time limit."""
    moment = _until.get()
    return None if moment is None else moment - time.monotonic()


def time_is_up() -> bool:
    """Whether no time is left to the run."""
    left = time_left()
    return left is not None and left <= 0


class Guard:
    """Permits or refuses calls of one model: a ``Breaker`` that several threads can use."""

    def __init__(self) -> None:
        from anamnesis.models.breaker import Breaker

        allowed = limits()
        self._most = allowed.model_calls_at_once
        self._breaker = Breaker(
            allowed.model_failures,
            allowed.model_cooldown,
            _PATIENCE,
            allowed.model_calls_at_once,
            time.monotonic,
        )
        self._changed = Condition()
        self._hanging = 0
        self.way = EitherWay()
        """How the model is called: by a method that need not be awaited, if it has one."""
        self.takes_schemas = True
        """Whether the model has not yet refused to reply by a schema."""

    def begin(self, name: str, patience: float) -> int:
        """A ticket for a call. Raises ModelError if none is free within ``patience`` seconds.

        There is no wait while calls of the model are suspended.
        """
        end = time.monotonic() + patience
        with self._changed:
            while True:
                rests = self._breaker.rests()
                if rests > 0:
                    raise UnansweredError(
                        f"the model {name!r} has not answered recently and is not called for "
                        f"{rests:.0f} more seconds; make sure that it runs and can be reached"
                    )
                free = self._hanging < self._most
                if free and (ticket := self._breaker.begin()) is not None:
                    return ticket
                left = end - time.monotonic()
                if left <= 0:
                    raise UnansweredError(
                        f"the model {name!r} has not answered other calls yet; ask again "
                        "later, or make sure that it runs and can be reached"
                    )
                self._changed.wait(min(left, 0.5))

    def end(self, ticket: int, *, answered: bool) -> None:
        """The end of a call."""
        with self._changed:
            self._breaker.end(ticket, answered=answered)
            self._changed.notify_all()

    def within(self, seconds: float, call: Callable[[], T]) -> T:
        """The result of ``call``, in a thread that is abandoned after ``seconds``.

        Raises TimeoutError then, and any error of ``call``. An abandoned thread counts among the
        calls until it ends.
        """
        done, given_up = Event(), Event()
        came: list[T] = []
        failed: list[BaseException] = []
        context = copy_context()

        def run() -> None:
            try:
                came.append(context.run(call))
            except BaseException as error:
                failed.append(error)
            with self._changed:
                done.set()
                if given_up.is_set():
                    self._hanging -= 1
                    self._changed.notify_all()

        Thread(target=run, name="anamnesis-model", daemon=True).start()
        done.wait(max(seconds, 0))
        with self._changed:
            if not done.is_set():
                given_up.set()
                self._hanging += 1
                raise TimeoutError(f"no complete reply within {seconds:.0f} s")
        if failed:
            raise failed[0]
        return came[0]


def guard_of(model: Any) -> Guard:
    """The guard of a model: one for each reference, or for each object passed in."""
    model = core(model)
    reference = getattr(getattr(model, "cache", None), "reference", None)
    key: str | int = id(model) if reference is None else str(reference)

    def made() -> Guard:
        if reference is None:
            finalize(model, _guards.pop, key, None)
        return Guard()

    return _guards.get_or_load(key, made)


def call_with_retries(model: Any, name: str, call: Callable[[], T]) -> T:
    """The result of ``call``, a call of the model; it is repeated after a temporary error.

    Raises the error of the last attempt, TimeoutError if the time was up, or ModelError if the
    model is not being called.
    """
    allowed, left = limits(), time_left()
    seconds = allowed.model_timeout if left is None else min(allowed.model_timeout, left)
    if seconds <= 0:
        raise UnansweredError(
            f"the model {name!r} was not asked: the time of the run ({allowed.run_timeout:.0f} s) "
            "is up; ask again"
        )
    guard = guard_of(model)
    end = time.monotonic() + seconds
    # Only on a server do other callers wait in the meantime.
    ticket = guard.begin(name, seconds if left is None else min(allowed.model_wait, seconds))
    answered = False
    tries = Retrying(
        retry=retry_if_exception(is_temporary),
        stop=stop_after_attempt(allowed.model_attempts) | stop_before_delay(end - time.monotonic()),
        wait=_wait,
        reraise=True,
    )
    try:
        try:
            came: T = tries(lambda: guard.within(end - time.monotonic(), call))
        except Exception as error:
            answered = not is_temporary(error)
            raise
        answered = True
        return came
    finally:
        guard.end(ticket, answered=answered)


def is_temporary(error: BaseException) -> bool:
    """Whether another attempt may succeed: no connection, no reply in time, or a busy provider."""
    import httpx

    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ModelError):
        status = _status(seen)
        if status is not None:
            return status >= 500 or status in _BUSY
        if isinstance(seen, OSError | httpx.TransportError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def is_refusal(error: BaseException | None) -> bool:
    """Whether a model was reached and refused the request, but may accept it in another form."""
    import httpx

    if error is None:
        return False
    seen: BaseException | None = error
    while seen is not None:
        status = _status(seen)
        if status is not None:
            # A server may answer 500 to a request form that it does not support.
            return 400 <= status <= 501 and status not in (401, 403, *_BUSY)
        if isinstance(seen, OSError | httpx.TransportError | ModelError):
            return False
        seen = seen.__cause__ or seen.__context__
    return True


def _status(error: BaseException) -> int | None:
    """The HTTP status of a provider's error, under any of the usual attribute names."""
    for owner in (error, getattr(error, "response", None)):
        status = getattr(owner, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _wait(state: RetryCallState) -> float:
    """Seconds before the next attempt: those that the provider asks for, or longer each time."""
    error = state.outcome.exception() if state.outcome else None
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        asked = float(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return _backing_off(state)
    return max(asked, 0.0) if isfinite(asked) else _backing_off(state)
