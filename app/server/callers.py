"""The user and the thread of the current request, wherever something is written or deleted."""

import re
import sys
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from anamnesis.context_variable import setting_variable

_OF_A_THREAD = re.compile(r"/threads/([^/]+)/")

_named: ContextVar[str | None] = ContextVar("named_thread", default=None)


def owner_of(user: Any) -> str | None:
    """The name of an authenticated user; None for any other user."""
    return str(user.identity) if user is not None and user.is_authenticated else None


def caller() -> str | None:
    """The user of the current request or run; None without tokens, or if the server itself acts."""
    # Outside the server it cannot be imported, and there is no caller.
    server = sys.modules.get("langgraph_api.utils")
    context = server.get_auth_ctx() if server else None
    return None if context is None else owner_of(context.user)


def named_thread() -> str | None:
    """The thread in the request's path; None if there is none."""
    return _named.get()


def with_path(path: str) -> AbstractContextManager[None]:
    """A request with this path."""
    found = _OF_A_THREAD.search(f"{path}/")
    return setting_variable(_named, found and _canonical_id(found[1]))


def _canonical_id(thread: str) -> str:
    """A thread's id in the server's format, which accepts every spelling of a UUID."""
    try:
        return str(UUID(thread))
    except ValueError:
        return thread
