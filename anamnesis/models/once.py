"""Objects that are loaded once per process."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

Key = TypeVar("Key")
Thing = TypeVar("Thing")


class Loaded(dict[Key, Thing]):
    """Loaded objects by key. A thread that asks for an object while another one loads it waits."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def once(self, key: Key, load: Callable[[], Thing]) -> Thing:
        """The object of a key. ``load`` loads it the first time, and again after an error."""
        with self._lock:
            if key not in self:
                self[key] = load()
            return self[key]
