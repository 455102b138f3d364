"""A cache for a model's results on texts, because every round asks for many texts again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from hashlib import blake2b
from threading import RLock
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """A cache of the ``capacity`` last used values. Safe to share between threads."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = RLock()

    def get_or_make(
        self, keys: Sequence[Hashable], make: Callable[[list[int]], Sequence[V]]
    ) -> list[V]:
        """The value of each key, in order.

        ``make`` gets the positions of the keys without a cached value, each key once, and returns
        their values in order. If two threads make the same value, both get the first one.
        """
        found = self.get(keys)
        missing: dict[Hashable, int] = {}
        for place, key in enumerate(keys):
            if key not in found:
                missing.setdefault(key, place)
        if missing:
            found |= zip(missing, make(list(missing.values())), strict=True)
        with self._lock:
            found |= self.get(list(missing))
            self.put({key: found[key] for key in keys})
        return [found[key] for key in keys]

    def get(self, keys: Sequence[Any]) -> dict[Any, V]:
        """The cached values, by key."""
        with self._lock:
            return {key: self._kept[key] for key in keys if key in self._kept}

    def put(self, values: Mapping[Any, V]) -> None:
        """Cache the values as the last used ones."""
        with self._lock:
            for key, value in values.items():
                self._kept[key] = value
                self._kept.move_to_end(key)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)

    def drop(self, key: Hashable) -> None:
        """Delete the value of a key, if there is one."""
        with self._lock:
            self._kept.pop(key, None)


def key_of(*texts: str) -> bytes:
    """A key for texts of any length; it also depends on where one text ends and the next begins."""
    hashed = blake2b(digest_size=16)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        hashed.update(len(data).to_bytes(8, "little") + data)
    return hashed.digest()
