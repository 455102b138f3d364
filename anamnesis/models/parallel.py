"""Calls of a chat model that do not depend on each other, made at the same time."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from langchain_core.runnables.config import ContextThreadPoolExecutor

_AT_ONCE = 8
"""Maximum concurrent calls of one run: half of the calls that ``MODEL_CALLS_AT_ONCE`` allows for a
model.
"""

T = TypeVar("T")
R = TypeVar("R")


def map_in_parallel(chat: Any, call: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """What ``call`` returns for each item, in their order; ``call`` asks ``chat``.

    A model in this process gets one call after another, because a call uses the whole processor. If
    calls fail, the error of the first of them is raised when all calls have ended.
    """
    asked = list(items)
    if len(asked) < 2 or getattr(getattr(chat, "cache", None), "here", False):
        return [call(item) for item in asked]
    with ContextThreadPoolExecutor(min(_AT_ONCE, len(asked))) as pool:
        return list(pool.map(call, asked))
