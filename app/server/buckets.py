"""Counters for rates and concurrency, in memory; they depend only on their clock."""

from collections import Counter
from collections.abc import Callable

from anamnesis.models.bounded_cache import BoundedCache

_MOST = 10_000  # callers remembered at the same time; the least recently seen are forgotten
_NEVER = (0, 0.0, 0.0)


class Buckets:
    """A token bucket for each caller: ``most`` at once, and as many again in ``seconds``."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float]) -> None:
        self._most, self._rate, self._clock = float(most), most / seconds, clock
        self._kept = BoundedCache[tuple[float, float]](_MOST)

    def take(self, caller: str) -> float:
        """Take one. Returns 0, or the seconds until one is available."""
        now = self._clock()
        there, last = self._kept.get([caller]).get(caller, (self._most, now))
        there = min(self._most, there + (now - last) * self._rate)
        # A refused attempt does not use up the bucket.
        taken = there >= 1
        self._kept.put({caller: (there - taken, now)})
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
        self._failed = BoundedCache[tuple[int, float, float]](_MOST)

    def wait(self, caller: str) -> float:
        """Seconds until the caller may try again; 0 if now."""
        times, last, _ = self._failures_of(caller)
        if times < self._free:
            return 0.0
        passed = self._clock() - last
        if passed >= self.FORGOTTEN:
            self._failed.drop(caller)
            return 0.0
        return max(0.0, min(self.LONGEST, 2.0 ** min(times - self._free, 20)) - passed)

    def failed(self, caller: str) -> None:
        """Count an attempt as failed."""
        times, last, _ = self._failures_of(caller)
        self._failed.put({caller: (times + 1, self._clock(), last)})

    def undo_failure(self, caller: str) -> None:
        """Remove the last failure."""
        times, _, before = self._failures_of(caller)
        self._failed.drop(caller)
        if times > 1:
            self._failed.put({caller: (times - 1, before, before)})

    def _failures_of(self, caller: str) -> tuple[int, float, float]:
        return self._failed.get([caller]).get(caller, _NEVER)


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
