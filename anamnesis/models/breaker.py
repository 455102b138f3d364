"""A circuit breaker: a model that does not answer is not called for a while.

closed      it answers; calls pass open        too many calls in a row failed; no call passes for a
while half-open   nobody knows whether it answers: not tried yet, rested, or silent for longer than
its replies take; one call passes, and its end decides
"""

from collections.abc import Callable
from itertools import count
from typing import Literal

State = Literal["closed", "open", "half-open"]

_USUAL = 3  # multiple of the time of its last reply after which a model counts as silent


class Breaker:
    """The state of one model; pure except for the ``clock``, which returns seconds.

    ``failures`` in a row open it for ``rest`` seconds; if half-open, a single failure does so. A
    model counts as silent if a call has waited for ``patience`` seconds, or for three times as long
    as its last reply took, and no later call has been answered. At most ``most`` calls pass at the
    same time.
    """

    def __init__(
        self, failures: int, rest: float, patience: float, most: int, clock: Callable[[], float]
    ) -> None:
        self._failures, self._rest, self._patience, self._most = failures, rest, patience, most
        self._clock = clock
        self._tickets = count(1)
        self._begun: dict[int, float] = {}
        self._in_a_row = 0
        self._opened: float | None = None
        self._known = False
        self._usual = 0.0  # seconds of the last reply
        self._answered = clock()

    @property
    def state(self) -> State:
        """The present state."""
        if self._opened is not None:
            return "half-open" if self.rests() <= 0 else "open"
        return "closed" if self._known and not self._silent() else "half-open"

    def rests(self) -> float:
        """Seconds until it is half-open."""
        return 0.0 if self._opened is None else self._opened + self._rest - self._clock()

    def begin(self) -> int | None:
        """A ticket for a call; None if no call may pass now."""
        state = self.state
        if state == "open" or len(self._begun) >= (self._most if state == "closed" else 1):
            return None
        ticket = next(self._tickets)
        self._begun[ticket] = self._clock()
        return ticket

    def end(self, ticket: int, *, answered: bool) -> None:
        """Note the end of a call, with or without an answer of the model."""
        begun, now = self._begun.pop(ticket), self._clock()
        if answered:
            self._in_a_row, self._opened, self._known = 0, None, True
            self._usual, self._answered = now - begun, now
            return
        self._in_a_row += 1
        if not self._known or self._opened is not None or self._in_a_row >= self._failures:
            self._opened, self._known = now, False

    def _silent(self) -> bool:
        patience = max(self._patience, _USUAL * self._usual)
        oldest = min(self._begun.values(), default=self._clock())
        return self._clock() - max(oldest, self._answered) > patience
