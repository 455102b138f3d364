"""Authentication and authorization on the LangGraph server (``auth`` in ``langgraph.json``).

With a file of tokens (``app.users.tokens``), or an identity provider (``app.users.oidc``), every
request needs a token, which identifies the user, and each user sees and changes only their own
data. Without them there is one person on one machine. Deletions are recorded here before they are
made.
"""

import logging
from collections.abc import Mapping
from typing import Any

from langgraph_api.auth.noop import UnauthenticatedUser
from langgraph_sdk import Auth
from starlette.datastructures import Headers

from anamnesis import SettingError
from app.server import auditing
from app.server.callers import owner_of
from app.server.quotas import TooManyError, may_start
from app.server.request_settings import refuse_settings
from app.server.request_state import WRITTEN
from app.users import identity
from app.users.tokens import user_label
from nodes.state import Input

auth = Auth()
"""The server's authentication and authorization."""

_log = logging.getLogger(__name__)
_OWNER = "owner"
_SEARCHES = ("/search", "/count")  # these contain values to search for, and write nothing
_SYSTEM = {"created_by": "system"}

_closed = False
"""Whether tokens were ever needed: if their file disappears, the server must not become open."""


@auth.authenticate
def authenticate(scope: dict[str, Any]) -> Any:
    """The user of the request's token; an anonymous user if no tokens are in use."""
    if not tokens_needed():
        # The server's type for an anonymous user: the context's `user` is used.
        auditing.record_deletion(scope, None)
        return UnauthenticatedUser()
    secret = identity.presented(Headers(scope=scope))
    message = (
        "this server needs the header 'Authorization: Bearer TOKEN' with a token that is valid; "
        "its operator makes one with: anamnesis token add USER"
    )
    try:
        user = identity.user_of(secret)
        reason = "wrong" if secret else None
    except SettingError as error:
        user, (message, reason) = None, identity.refusal(error)
        if reason is None:
            _log.error("nobody can be admitted: %s", error)
    if user is None:
        if reason:
            auditing.record_refusal(scope, reason)
        raise Auth.exceptions.HTTPException(status_code=401, detail=message)
    refuse_state(scope, user)
    auditing.record_deletion(scope, user["identity"])
    return user


def refuse_state(scope: Mapping[str, Any], user: Mapping[str, Any]) -> None:
    """Refuse writes to a thread's state other than a run's input, except by operators.

    The state between two steps belongs to the graph, whose steps do not check sizes again. Raises
    HTTPException.
    """
    if scope["path"].endswith(_SEARCHES) or "operator" in user.get("permissions", ()):
        return
    if inner := scope.get(WRITTEN):
        names = ", ".join(sorted(inner)[:5])
        raise Auth.exceptions.HTTPException(
            403,
            f"only operators may write these fields of a state ({names}): leave them out; "
            f"you may write {', '.join(Input.__annotations__)}",
        )


def tokens_needed() -> bool:
    """Whether the server requires a token."""
    global _closed
    _closed = _closed or identity.needed()
    return _closed


@auth.on
async def anything_else(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Refuse whatever no other rule allows."""
    return owner_of(ctx.user) is None


@auth.on(resources=["threads", "crons"])
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """Allow the user's own threads with their runs, and crons."""
    owner = owner_of(ctx.user)
    await refuse_settings(owner is not None, value)
    if ctx.action == "create_run" and owner is not None:
        try:
            await may_start(owner)
        except TooManyError as error:
            raise Auth.exceptions.HTTPException(
                429, str(error), {"Retry-After": f"{error.wait:.0f}"}
            ) from error
    return _owned(ctx, value)


@auth.on.assistants
async def own_assistants(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """Allow the user's own assistants, and reading and running those of the server."""
    owner = owner_of(ctx.user)
    await refuse_settings(owner is not None, value)
    # A user's assistant must not look like the server's, which everybody sees.
    if owner is not None and ctx.action in ("create", "update"):
        (value.get("metadata") or {}).pop("created_by", None)
    if owner is not None and ctx.action in ("read", "search"):
        return {"$or": [{_OWNER: owner}, _SYSTEM]}
    return _owned(ctx, value)


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Put every namespace of store items below the user's own."""
    owner = owner_of(ctx.user)
    if owner is not None:
        namespace, label = tuple(value.get("namespace") or ()), user_label(owner)
        value["namespace"] = namespace if namespace[:1] == (label,) else (label, *namespace)


def _owned(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str] | None:
    """Mark written objects as the user's, and restrict reading to the user's objects."""
    owner = owner_of(ctx.user)
    if owner is None:
        return None
    if ctx.action in ("create", "update", "create_run"):
        # The server uses the returned object, so the given one is changed in place.
        if value.get("metadata") is None:
            value["metadata"] = {}
        value["metadata"][_OWNER] = owner
    return {_OWNER: owner}
