"""Requests of several callers in one run of a model."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Event, Thread
from typing import Any, Generic, TypeVar

from anamnesis.errors import AnamnesisError

T = TypeVar("T")
R = TypeVar("R")


class BusyError(AnamnesisError, RuntimeError):
    """The queue of a model is full."""


class _Job(Generic[T, R]):
    def __init__(self, items: Sequence[T]) -> None:
        self.items = items
        self.done = Event()
        self.found: Sequence[R] = ()
        self.error: BaseException | None = None


class Batcher(Generic[T, R]):
    """Runs a model (items → as many results) on nearly simultaneous requests of several callers.

    A run takes the waiting requests, whole ones only and up to ``most`` items; a larger request has
    a run of its own. The first request waits ``pause`` seconds for others. If more than ``waiting``
    items are in the queue, a request is refused. The runs take place in one thread.
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

        Raises BusyError if the queue is full, and any error of the model.
        """
        if not items:
            return []
        job = _Job[T, R](items)
        with self._changed:
            if self._closed or sum(len(item.items) for item in self._queue) > self._waiting:
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
        while jobs := self._next():
            self.runs += 1
            items = [item for job in jobs for item in job.items]
            try:
                found: Any = self._run(items)
                if len(found) != len(items):
                    raise RuntimeError(f"{len(found)} results for {len(items)} items")
            except Exception as error:
                if len(jobs) > 1:  # one caller's text may not fail the others
                    for job in jobs:
                        self._alone(job)
                    continue
                jobs[0].error = error
                jobs[0].done.set()
                continue
            at = 0
            for job in jobs:
                job.found = found[at : at + len(job.items)]
                at += len(job.items)
                job.done.set()

    def _alone(self, job: _Job[T, R]) -> None:
        try:
            job.found = self._run(job.items)
        except Exception as error:
            job.error = error
        job.done.set()

    def _next(self) -> list[_Job[T, R]]:
        """The requests of the next run; none once closed."""
        with self._changed:
            while not self._queue:
                if self._closed:
                    return []
                self._changed.wait()
        time.sleep(self._pause)
        with self._changed:
            jobs = [self._queue.popleft()]
            size = len(jobs[0].items)
            while self._queue and size + len(self._queue[0].items) <= self._most:
                jobs.append(self._queue.popleft())
                size += len(jobs[-1].items)
            return jobs
