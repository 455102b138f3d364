"""What is loaded once a process."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

Key = TypeVar("Key")
Thing = TypeVar("Thing")


class Loaded(dict[Key, Thing]):
    """What was loaded, by key. Who asks while another one loads waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def once(self, key: Key, load: Callable[[], Thing]) -> Thing:
        """The thing of a key; ``load`` makes it if nothing has. What fails is tried again."""
        with self._lock:
            if key not in self:
                self[key] = load()
            return self[key]
