"""Objects that are loaded once: per process by a key, until replaced, or as a property."""

from collections.abc import Callable
from threading import Lock, RLock
from typing import Any, Generic, Self, TypeVar, overload

Key = TypeVar("Key")
Thing = TypeVar("Thing")


class LoadedObjects(dict[Key, Thing]):
    """Loaded objects by key. A thread that asks for an object while another one loads it waits."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def get_or_load(self, key: Key, load: Callable[[], Thing]) -> Thing:
        """The object of a key. ``load`` loads it the first time, and again after an error."""
        with self._lock:
            if key not in self:
                self[key] = load()
            return self[key]


class LatestObject(Generic[Thing]):
    """The loaded object of something that is replaced, such as the newest generation of an index.

    A thread that asks for the object while another one loads it waits.
    """

    def __init__(self) -> None:
        self._held: Thing | None = None
        self._lock = Lock()

    def get_or_load(self, is_latest: Callable[[Thing], bool], load: Callable[[], Thing]) -> Thing:
        """The object; loaded the first time, when it is no longer the latest, or after an error."""
        with self._lock:
            # The old object is dropped first, so that two are never in memory.
            held, self._held = self._held, None
            if held is None or not is_latest(held):
                held = None
                held = load()
            self._held = held
            return held

    def drop(self) -> Thing | None:
        """Remove the object, so that it will be loaded again, and return it if there was one."""
        with self._lock:
            held, self._held = self._held, None
            return held


class loaded_once(Generic[Thing]):  # noqa: N801 - used as a decorator, like functools.cached_property
    """A property that is computed once per object, and again after an error.

    A thread that asks for it while another one computes it waits. ``functools.cached_property``
    would let it wait for other objects, too: in Python 3.11 all objects of a class have one lock.
    """

    def __init__(self, load: Callable[[Any], Thing]) -> None:
        self._load, self._name, self.__doc__ = load, load.__name__, load.__doc__

    @overload
    def __get__(self, one: None, kind: type) -> Self: ...
    @overload
    def __get__(self, one: object, kind: type) -> Thing: ...
    def __get__(self, one: object | None, kind: type) -> Self | Thing:
        """The value; later it is an ordinary attribute of the object."""
        if one is None:
            return self
        kept = one.__dict__
        with kept.setdefault(f"{self._name} lock", RLock()):
            if self._name not in kept:
                kept[self._name] = self._load(one)
            found: Thing = kept[self._name]
            return found
