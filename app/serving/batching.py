"""Requests of several callers in one run of a model."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from threading import Condition, Event, Thread
from typing import Any, Generic, TypeVar

from anamnesis.context_variable import setting_variable
from anamnesis.errors import AnamnesisError

T = TypeVar("T")
R = TypeVar("R")

_gone: ContextVar[Event | None] = ContextVar("anamnesis_caller_gone", default=None)


class BusyError(AnamnesisError, RuntimeError):
    """The queue of a model is full."""


class AbandonedError(AnamnesisError, RuntimeError):
    """The caller of a request has gone, and the request was dropped."""


def dropped_after(gone: Event) -> AbstractContextManager[None]:
    """Requests that are made within the block are dropped once ``gone`` is set."""
    return setting_variable(_gone, gone)


class _Job(Generic[T, R]):
    def __init__(self, items: Sequence[T], gone: Event | None) -> None:
        self.left = items
        """The items that are not yet in a run."""
        self.done = Event()
        self.found: list[R] = []
        self.error: BaseException | None = None
        self._gone = gone

    def take(self, most: int) -> Sequence[T]:
        """The next items, at most ``most`` of them, out of those that are ``left``."""
        taken, self.left = self.left[:most], self.left[most:]
        return taken

    def is_abandoned(self) -> bool:
        return self._gone is not None and self._gone.is_set()

    def add(self, found: Sequence[R]) -> None:
        """Results of the items that were taken."""
        self.found.extend(found)
        if not self.left:
            self.done.set()

    def fail(self, error: BaseException) -> None:
        self.error, self.left = error, ()
        self.done.set()


class Batcher(Generic[T, R]):
    """Runs a model (items → as many results) on nearly simultaneous requests of several callers.

    A run takes waiting requests with ``most`` items in all, in their order. A request with more
    items is divided: a run takes ``most`` of them, and the others wait behind the requests that
    have come meanwhile. A request whose caller has gone (``dropped_after``) is not run further. The
    first request waits ``pause`` seconds for others. If more than ``waiting`` items are in the
    queue, a request is refused. The runs take place in one thread.
    """

    def __init__(
        self,
        run: Callable[[Sequence[T]], Any],
        *,
        most: int = 64,
        pause: float = 0.002,
        waiting: int = 4096,
    ) -> None:
        self._run, self._most, self._pause, self._waiting = run, most, pause, waiting
        self._queue: deque[_Job[T, R]] = deque()
        self._changed = Condition()
        self._closed = False
        self.runs = 0
        self._thread = Thread(target=self._work, name="anamnesis-batches", daemon=True)
        self._thread.start()

    def ask(self, items: Sequence[T]) -> Sequence[R]:
        """The model's result for each item, in order.

        Raises BusyError if the queue is full, AbandonedError if the caller has gone, and any error
        of the model.
        """
        if not items:
            return []
        job = _Job[T, R](items, _gone.get())
        with self._changed:
            self._drop_abandoned()
            if self._closed or sum(len(item.left) for item in self._queue) > self._waiting:
                raise BusyError("too many requests wait for this model; ask again later")
            self._queue.append(job)
            self._changed.notify()
        job.done.wait()
        if job.error is not None:
            raise job.error
        return job.found

    def close(self) -> None:
        """Answer the waiting requests, and accept no others."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while parts := self._next():
            self.runs += 1
            try:
                found = self._results([item for _, part in parts for item in part])
            except Exception as error:
                if len(parts) > 1:  # one caller's text may not fail the others
                    for job, part in parts:
                        self._alone(job, part)
                else:
                    parts[0][0].fail(error)
            else:
                at = 0
                for job, part in parts:
                    job.add(found[at : at + len(part)])
                    at += len(part)
            with self._changed:
                self._queue += [job for job, _ in parts if job.left]

    def _results(self, items: Sequence[T]) -> Any:
        found: Any = self._run(items)
        if len(found) != len(items):
            raise RuntimeError(f"{len(found)} results for {len(items)} items")
        return found

    def _alone(self, job: _Job[T, R], part: Sequence[T]) -> None:
        try:
            job.add(self._results(part))
        except Exception as error:
            job.fail(error)

    def _next(self) -> list[tuple[_Job[T, R], Sequence[T]]]:
        """The requests of the next run, each with its items in it; none once closed."""
        while True:
            with self._changed:
                while not self._queue:
                    if self._closed:
                        return []
                    self._changed.wait()
            time.sleep(self._pause)
            with self._changed:
                self._drop_abandoned()
                if self._queue:
                    return self._taken()

    def _taken(self) -> list[tuple[_Job[T, R], Sequence[T]]]:
        job = self._queue.popleft()
        parts = [(job, job.take(self._most))]
        size = len(parts[0][1])
        while self._queue and size + len(self._queue[0].left) <= self._most:
            job = self._queue.popleft()
            parts.append((job, job.take(self._most)))
            size += len(parts[-1][1])
        return parts

    def _drop_abandoned(self) -> None:
        for job in [job for job in self._queue if job.is_abandoned()]:
            self._queue.remove(job)
            job.fail(AbandonedError("the caller has gone"))
