"""Limits on the runs that a user may start and have in progress, on the server and the page."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anamnesis import LimitError
from anamnesis.limits import limits
from app.server.buckets import Buckets, OpenCounter

_MINUTE, _DAY = 60.0, 86_400.0
_USERS = 10_000  # users that are remembered at once
_SHOWS = 0.5  # seconds until a started run appears in the server's list


class TooManyError(LimitError):
    """A user has reached the limit of runs; ``wait`` is the seconds until more are allowed."""

    def __init__(self, why: str, wait: float) -> None:
        super().__init__(f"{why}; try again in {wait:.0f} s")
        self.wait = wait


class Quotas:
    """Counts the runs of each user."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        allowed = limits()
        self._clock = clock
        self._minute = Buckets(allowed.runs_a_minute, _MINUTE, clock)
        self._day = Buckets(allowed.runs_a_day, _DAY, clock)
        self._open = OpenCounter()
        self._started: defaultdict[str, deque[float]] = defaultdict(deque)

    def take(self, user: str) -> None:
        """Count a run that the user starts. Raises TooManyError if that is over the limit."""
        for bucket, span in ((self._minute, "minute"), (self._day, "day")):
            if wait := bucket.take(user):
                number = getattr(limits(), f"runs_a_{span}")
                raise TooManyError(f"you have started {number:,} runs within a {span}", wait + 0.5)

    def start(self, user: str, under_way: int) -> None:
        """Count a run of the server; ``TooManyError`` if the user has too many in progress.

        Runs that were started a moment ago may not be in the server's list yet.
        """
        now, most = self._clock(), limits().runs_at_once
        started = self._started[user]
        while started and now - started[0] > _SHOWS:
            started.popleft()
        if max(under_way, len(started)) >= most:
            raise TooManyError(f"{most} of your runs are in progress", 1)
        self.take(user)
        started.append(now)
        if len(self._started) > _USERS:
            self._started.pop(next(iter(self._started)))

    @contextmanager
    def running(self, user: str) -> Iterator[None]:
        """Count a run of the page for as long as the block lasts. Raises TooManyError."""
        most = limits().runs_at_once
        if not self._open.begin(user, most):
            raise TooManyError(f"{most} of your runs are in progress", 1)
        try:
            self.take(user)
            yield
        finally:
            self._open.end(user)


_made: list[Quotas] = []


def quotas() -> Quotas:
    """The quotas of this process, created at first use with the limits then in force."""
    if not _made:
        _made.append(Quotas())
    return _made[0]


async def may_start(user: str) -> None:
    """Let a user of the server start a run. Raises TooManyError."""
    from langgraph_sdk import get_client

    # Without an address, the client calls this server in-process and bypasses authentication.
    async with get_client() as client:
        busy = await client.threads.count(status="busy", metadata={"owner": user})
    quotas().start(user, busy)
