"""Which memories of a user are to go: by trust [M7], by age, and beyond a number. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from anamnesis import SettingError
from anamnesis.memory.record import Memory
from anamnesis.memory.scores import ETA


def dropped(
    memories: Sequence[Memory], now: datetime, *, days: int | None = None, limit: int | None = None
) -> list[Memory]:
    """Those that the retention rule does not keep [M7], those of more than ``days``, and of the
    rest the least worth keeping, so that ``limit`` are left; in this order.

    Raises SettingError if ``days`` or ``limit`` is below 1.
    """
    for name, value in (("days", days), ("limit", limit)):
        if value is not None and value < 1:
            raise SettingError(f"{name} must be 1 or more, not {value}")
    gone = [own for own in memories if not own.retained]
    gone += [own for own in memories if own.retained and expired(own, now, days)]
    going = {own.id for own in gone}
    # An allergy is not forgotten for the sake of a limit.
    rest = (own for own in memories if own.id not in going and own.kind != "profile")
    left = sorted(rest, key=lambda own: worth(own, now))
    return gone + (left[: len(left) - limit] if limit is not None and len(left) > limit else [])


def expired(memory: Memory, now: datetime, days: int | None) -> bool:
    """Whether a memory was last said more than ``days`` ago; None is never."""
    return days is not None and now - memory.created > timedelta(days)


def retention(memory: Memory) -> float:
    """By how much the retention rule keeps a memory: ``PS − η·(1 − TS)`` [M7]."""
    return memory.persistence - ETA * (1 - memory.trust)


def worth(memory: Memory, now: datetime) -> tuple[bool, float, float]:
    """By what memories are compared: whether it is in play, its retention, and recalls by age.

    The last is (recalls + 1)/(days + 1), so that a new one is not the first to go.
    """
    days = max((now - memory.created).total_seconds(), 0) / timedelta(days=1).total_seconds()
    return memory.in_play, retention(memory), (memory.recalls + 1) / (days + 1)
