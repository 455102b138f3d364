"""Which memories of a user are deleted: by trust [M7], age and number. Pure functions."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from anamnesis import SettingError
from anamnesis.memory.record import Memory
from anamnesis.memory.scores import ETA


def deletable(
    memories: Sequence[Memory], now: datetime, *, days: int | None = None, limit: int | None = None
) -> list[Memory]:
    """The memories to delete: those that the retention rule rejects [M7], those older than
    ``days``, and then those least worth keeping, until ``limit`` are left; in this order.

    Raises SettingError if ``days`` or ``limit`` is below 1.
    """
    for name, value in (("days", days), ("limit", limit)):
        if value is not None and value < 1:
            raise SettingError(f"{name} must be 1 or more, not {value}")
    gone = [item for item in memories if not item.retained]
    gone += [item for item in memories if item.retained and expired(item, now, days)]
    going = {item.id for item in gone}
    # An allergy is not deleted because of a limit.
    rest = (item for item in memories if item.id not in going and item.kind != "profile")
    left = sorted(rest, key=lambda item: retention_key(item, now))
    return gone + (left[: len(left) - limit] if limit is not None and len(left) > limit else [])


def expired(memory: Memory, now: datetime, days: int | None) -> bool:
    """Whether a memory was last repeated more than ``days`` ago; None: memories do not expire."""
    return days is not None and now - memory.created > timedelta(days)


def retention(memory: Memory) -> float:
    """The margin by which a memory passes the retention rule: ``PS − η·(1 − TS)`` [M7]."""
    return memory.persistence - ETA * (1 - memory.trust)


def retention_key(memory: Memory, now: datetime) -> tuple[bool, float, float]:
    """The sort key of a memory: whether it is active, its retention, and its recalls by age.

    The last one is (recalls + 1)/(days + 1), so that a new memory is not deleted first.
    """
    days = max((now - memory.created).total_seconds(), 0) / timedelta(days=1).total_seconds()
    return memory.is_active, retention(memory), (memory.recalls + 1) / (days + 1)
