"""Methods of other programs' parts that must be awaited, called from steps, which do not await.

If the graph is awaited, as by ``ainvoke``, they run in the event loop of its caller. Otherwise they
run in a loop in a thread of this program, which is the same for all calls, because the connections
of a client belong to one loop.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from threading import Lock, Thread
from typing import Any, TypeVar

from anamnesis.context_variable import setting_variable

T = TypeVar("T")

_of_caller: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar(
    "anamnesis_loop", default=None
)


def awaiting_in(loop: asyncio.AbstractEventLoop | None) -> AbstractContextManager[None]:
    """Within the block, in other threads than its own, awaitables run in this loop; None: in the
    loop of this program."""
    return setting_variable(_of_caller, loop)


def result_of(awaitable: Awaitable[T]) -> T:
    """The result of an awaitable; the thread waits for it."""

    async def awaited() -> T:
        return await awaitable

    loop = _of_caller.get() or _own_loop.running()
    future = asyncio.run_coroutine_threadsafe(awaited(), loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


class EitherWay:
    """Calls methods; one that is not implemented is replaced by the one to await."""

    def __init__(self) -> None:
        self._awaited: set[str] = set()

    def call(self, given: Any, name: str, *arguments: Any, **named: Any) -> Any:
        """The result of the method ``name``, or of the one with an ``a`` before its name.

        Raises NotImplementedError, which names both, if neither is implemented, and all other
        errors of both.
        """
        cause: NotImplementedError | None = None
        if name not in self._awaited:
            try:
                return getattr(given, name)(*arguments, **named)
            except NotImplementedError as error:
                cause = error  # outside of this block, errors of the other have no context
        awaited = _own_awaited(given, f"a{name}")
        try:
            if awaited is None:
                raise NotImplementedError
            result = result_of(awaited(*arguments, **named))
        except NotImplementedError:
            raise NotImplementedError(
                f"{type(given).__name__} implements neither {name} nor a{name}"
                + (f" for this call ({cause})" if str(cause or "") else "")
            ) from cause
        self._awaited.add(name)
        return result


def _own_awaited(given: Any, name: str) -> Callable[..., Awaitable[Any]] | None:
    """A method to await; None if there is none, or if it is LangChain's own, which calls the other.

    (LangChain's runnables and retrievers have an ``ainvoke`` that calls methods of their own.)
    """
    defining = next((kind for kind in type(given).__mro__ if name in vars(kind)), None)
    of_langchain = defining is not None and defining.__module__.startswith("langchain_core.")
    if of_langchain and name != "ainvoke":
        return None
    found: Callable[..., Awaitable[Any]] | None = getattr(given, name, None)
    return found


class _OwnLoop:
    """An event loop in a thread, begun when it is first needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def running(self) -> asyncio.AbstractEventLoop:
        """The loop; another one in a process that was forked, which has no thread of its parent."""
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(
                    target=self._loop.run_forever, name="anamnesis-loop", daemon=True
                )
                self._thread.start()
            return self._loop


_own_loop = _OwnLoop()
