"""Counters for rates and concurrency, in memory; they depend only on their clock."""

from collections import Counter, OrderedDict
from collections.abc import Callable

_MOST = 10_000  # callers remembered at the same time; the least recently seen are forgotten
_NEVER = (0, 0.0, 0.0)


class Buckets:
    """A token bucket for each caller: ``most`` at once, and as many again in ``seconds``."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float]) -> None:
        self._most, self._rate, self._clock = float(most), most / seconds, clock
        self._kept: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> float:
        """Take one. Returns 0, or the seconds until one is available."""
        now = self._clock()
        there, last = self._kept.pop(caller, (self._most, now))
        there = min(self._most, there + (now - last) * self._rate)
        # A refused attempt does not use up the bucket.
        taken = there >= 1
        self._kept[caller] = (there - taken, now)
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return 0.0 if taken else (1 - there) / self._rate


class Delays:
    """Growing waits for a caller whose attempts fail: 1 s after ``free`` failures, then doubled.

    Failures are forgotten an hour after the last one; no wait is longer than a minute.
    """

    LONGEST = 60.0
    FORGOTTEN = 3600.0

    def __init__(self, free: int, clock: Callable[[], float]) -> None:
        self._free, self._clock = free, clock
        # Number of failures, time of the last one, and of the one before.
        self._failed: OrderedDict[str, tuple[int, float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Seconds until the caller may try again; 0 if now."""
        times, last, _ = self._failed.get(caller, _NEVER)
        if times < self._free:
            return 0.0
        passed = self._clock() - last
        if passed >= self.FORGOTTEN:
            del self._failed[caller]
            return 0.0
        return max(0.0, min(self.LONGEST, 2.0 ** min(times - self._free, 20)) - passed)

    def failed(self, caller: str) -> None:
        """Count an attempt as failed."""
        times, last, _ = self._failed.pop(caller, _NEVER)
        self._failed[caller] = (times + 1, self._clock(), last)
        if len(self._failed) > _MOST:
            self._failed.popitem(last=False)

    def undo_failure(self, caller: str) -> None:
        """Remove the last failure."""
        times, _, before = self._failed.pop(caller, _NEVER)
        if times > 1:
            self._failed[caller] = (times - 1, before, before)


class OpenCounter:
    """Counts the concurrent requests of each caller."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def begin(self, caller: str, most: int) -> bool:
        """Whether one more may begin; it is then counted until ``end``."""
        if self._counts[caller] >= most:
            return False
        self._counts[caller] += 1
        return True

    def end(self, caller: str) -> None:
        """Count one as ended."""
        self._counts[caller] -= 1
        if not self._counts[caller]:
            del self._counts[caller]
