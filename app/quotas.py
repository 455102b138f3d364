"""How many runs a user may start, and have under way: on the server's routes and on the page."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anamnesis import LimitError
from anamnesis.limits import limits
from app.buckets import Buckets, Open

_MINUTE, _DAY = 60.0, 86_400.0
_USERS = 10_000  # that are known at once
_SHOWS = 0.5  # seconds until a run that was started is among those of the server's list


class TooManyError(LimitError):
    """A user has started as many runs as they may; in ``wait`` seconds there are more."""

    def __init__(self, why: str, wait: float) -> None:
        super().__init__(f"{why}; try again in {wait:.0f} s")
        self.wait = wait


class Quotas:
    """Counts the runs of each user."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        own = limits()
        self._clock = clock
        self._minute = Buckets(own.runs_a_minute, _MINUTE, clock)
        self._day = Buckets(own.runs_a_day, _DAY, clock)
        self._open = Open()
        self._started: defaultdict[str, deque[float]] = defaultdict(deque)

    def take(self, user: str) -> None:
        """Count a run that the user starts. Raises TooManyError if they may start none now."""
        for bucket, told in ((self._minute, "minute"), (self._day, "day")):
            if wait := bucket.take(user):
                number = getattr(limits(), f"runs_a_{told}")
                raise TooManyError(f"you have started {number:,} runs within a {told}", wait + 0.5)

    def start(self, user: str, under_way: int) -> None:
        """Count a run of the server, which has so many of the user's. Raises TooManyError.

        What was started a moment ago may not be among them yet.
        """
        now, most = self._clock(), limits().runs_at_once
        started = self._started[user]
        while started and now - started[0] > _SHOWS:
            started.popleft()
        if max(under_way, len(started)) >= most:
            raise TooManyError(f"{most} of your runs are under way", 1)
        self.take(user)
        started.append(now)
        if len(self._started) > _USERS:
            self._started.pop(next(iter(self._started)))

    @contextmanager
    def running(self, user: str) -> Iterator[None]:
        """Count a run of the page for as long as the block lasts. Raises TooManyError."""
        most = limits().runs_at_once
        if not self._open.begin(user, most):
            raise TooManyError(f"{most} of your runs are under way", 1)
        try:
            self.take(user)
            yield
        finally:
            self._open.end(user)


_made: list[Quotas] = []


def quotas() -> Quotas:
    """The quotas of this process, made at first use with the limits of then."""
    if not _made:
        _made.append(Quotas())
    return _made[0]


async def may_start(user: str) -> None:
    """Let a user of the server start a run. Raises TooManyError."""
    from langgraph_sdk import get_client

    # Without an address it asks this server within the process, past authentication.
    async with get_client() as client:
        busy = await client.threads.count(status="busy", metadata={"owner": user})
    quotas().start(user, busy)
