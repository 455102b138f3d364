"""Calls of a chat model that do not depend on each other, made at the same time."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from langchain_core.runnables.config import ContextThreadPoolExecutor

_AT_ONCE = 8
"""Calls of one run under way at once: half of what ``MODEL_CALLS`` allows one model."""

T = TypeVar("T")
R = TypeVar("R")


def together(chat: Any, call: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """What ``call`` returns for each item, in their order; ``call`` asks ``chat``.

    A model of this process is asked for one after the other: it has the processor to itself. What
    the first failed call raises is raised, once all calls have ended.
    """
    asked = list(items)
    if len(asked) < 2 or getattr(getattr(chat, "cache", None), "here", False):
        return [call(item) for item in asked]
    with ContextThreadPoolExecutor(min(_AT_ONCE, len(asked))) as pool:
        return list(pool.map(call, asked))
