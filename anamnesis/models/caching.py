"""The LangChain cache for the replies of chat models and the judgements of critics."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.globals import get_llm_cache
from langchain_core.messages import message_to_dict, messages_from_dict
from langchain_core.outputs import ChatGeneration, Generation

from anamnesis.context_variable import setting_variable

_cache: ContextVar[BaseCache | None] = ContextVar("anamnesis_cache", default=None)


def caching_replies(cache: BaseCache | None) -> AbstractContextManager[None]:
    """Within the block replies are cached in ``cache``; None: they are not cached."""
    return setting_variable(_cache, cache)


def current() -> BaseCache | None:
    """The cache that LangChain has for the process, otherwise the cache of the run."""
    global_cache = get_llm_cache()
    return _cache.get() if global_cache is None else global_cache


def of_run() -> BaseCache | None:
    """The cache of the run."""
    return _cache.get()


def key_of(*parts: str) -> str:
    """The key of a cached reply: SHA-256, in hex, of texts that are not stored themselves."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def as_rows(replies: Sequence[Generation]) -> list[dict[str, Any]]:
    """Replies as plain data."""
    return [
        {"message": message_to_dict(item.message), "info": item.generation_info}
        if isinstance(item, ChatGeneration)
        else {"text": item.text, "info": item.generation_info}
        for item in replies
    ]


def of_rows(rows: Sequence[dict[str, Any]]) -> list[Generation]:
    """The replies from the plain data of ``as_rows``."""
    return [
        ChatGeneration(
            message=messages_from_dict([item["message"]])[0], generation_info=item["info"]
        )
        if "message" in item
        else Generation(text=item["text"], generation_info=item["info"])
        for item in rows
    ]
