"""Which cache of LangChain the replies of chat models and the judgements of critics are kept in."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.globals import get_llm_cache
from langchain_core.messages import message_to_dict, messages_from_dict
from langchain_core.outputs import ChatGeneration, Generation

_cache: ContextVar[BaseCache | None] = ContextVar("anamnesis_cache", default=None)


@contextmanager
def keeping(cache: BaseCache | None) -> Iterator[None]:
    """Within the block replies are kept in ``cache``; None keeps none."""
    token = _cache.set(cache)
    try:
        yield
    finally:
        _cache.reset(token)


def current() -> BaseCache | None:
    """The cache that LangChain was given for the process if there is one, else that of the run."""
    own = get_llm_cache()
    return _cache.get() if own is None else own


def of_run() -> BaseCache | None:
    """The cache of the run alone."""
    return _cache.get()


def key_of(*parts: str) -> str:
    """SHA-256, in hex, of what a reply is kept under: the words themselves are not kept."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def as_rows(replies: Sequence[Generation]) -> list[dict[str, Any]]:
    """Replies as plain data."""
    return [
        {"message": message_to_dict(own.message), "info": own.generation_info}
        if isinstance(own, ChatGeneration)
        else {"text": own.text, "info": own.generation_info}
        for own in replies
    ]


def of_rows(rows: Sequence[dict[str, Any]]) -> list[Generation]:
    """The replies that ``as_rows`` made plain data of."""
    return [
        ChatGeneration(message=messages_from_dict([own["message"]])[0], generation_info=own["info"])
        if "message" in own
        else Generation(text=own["text"], generation_info=own["info"])
        for own in rows
    ]
