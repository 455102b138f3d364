"""Who may do what on the LangGraph server: ``auth`` is named by ``langgraph.json``.

With a file of tokens (``app.tokens``), or an identity provider (``app.oidc``), every request needs
a token, the user is the token's, and each user sees and changes only what is theirs. Without them
there is one person on one machine. What is deleted is recorded here, before it is.
"""

import logging
from collections.abc import Mapping
from typing import Any

from langgraph_api.auth.noop import UnauthenticatedUser
from langgraph_sdk import Auth
from starlette.datastructures import Headers

from anamnesis import SettingError
from app import auditing, identity
from app.asked_settings import refuse_settings
from app.asked_state import WRITTEN
from app.callers import owner_of
from app.quotas import TooManyError, may_start
from app.tokens import user_label
from nodes.state import Input

auth = Auth()
"""The server's authentication and authorization."""

_log = logging.getLogger(__name__)
_OWNER = "owner"
_SEARCHES = ("/search", "/count")  # they name values to look for, and write none
_SYSTEM = {"created_by": "system"}

_closed = False
"""Whether tokens were ever needed: a file that vanishes must not open the server."""


@auth.authenticate
def authenticate(scope: dict[str, Any]) -> Any:
    """The user whose token the request bears; nobody in particular where no tokens are in use."""
    if not tokens_needed():
        # The type that the server itself takes for nobody: the context's `user` counts.
        auditing.before(scope, None)
        return UnauthenticatedUser()
    secret = identity.presented(Headers(scope=scope))
    told = (
        "this server needs the header 'Authorization: Bearer TOKEN' with a token that is valid; "
        "its operator makes one with: anamnesis token add USER"
    )
    try:
        user = identity.user_of(secret)
        reason = "wrong" if secret else None
    except SettingError as error:
        user, (told, reason) = None, identity.refusal(error)
        if reason is None:
            _log.error("nobody can be let in: %s", error)
    if user is None:
        if reason:
            auditing.refused(scope, reason)
        raise Auth.exceptions.HTTPException(status_code=401, detail=told)
    refuse_state(scope, user)
    auditing.before(scope, user["identity"])
    return user


def refuse_state(scope: Mapping[str, Any], user: Mapping[str, Any]) -> None:
    """Refuse what writes more of a thread's state than a run's input, but to operators.

    A state between two steps is the graph's own: sizes that a step relies on are not looked at
    again. Raises HTTPException.
    """
    if scope["path"].endswith(_SEARCHES) or "operator" in user.get("permissions", ()):
        return
    if inner := scope.get(WRITTEN):
        names = ", ".join(sorted(inner)[:5])
        raise Auth.exceptions.HTTPException(
            403,
            f"what the graph keeps in a state is for operators to write ({names}): leave it out; "
            f"{', '.join(Input.__annotations__)} are yours",
        )


def tokens_needed() -> bool:
    """Whether the server answers only those who send a token."""
    global _closed
    _closed = _closed or identity.needed()
    return _closed


@auth.on
async def anything_else(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """What no other rule allows, a user may not do."""
    return owner_of(ctx.user) is None


@auth.on(resources=["threads", "crons"])
async def own(ctx: Auth.types.AuthContext, value: Any) -> Any:
    """Threads with their runs, and crons: those that the user made."""
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
    """Assistants: those that the user made; those of the server can be read and run."""
    owner = owner_of(ctx.user)
    await refuse_settings(owner is not None, value)
    # What a user makes must not pass for the server's, which everybody sees.
    if owner is not None and ctx.action in ("create", "update"):
        (value.get("metadata") or {}).pop("created_by", None)
    if owner is not None and ctx.action in ("read", "search"):
        return {"$or": [{_OWNER: owner}, _SYSTEM]}
    return _owned(ctx, value)


@auth.on.store
async def own_items(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Store items: every namespace is taken as one below the user's own."""
    owner = owner_of(ctx.user)
    if owner is not None:
        namespace, label = tuple(value.get("namespace") or ()), user_label(owner)
        value["namespace"] = namespace if namespace[:1] == (label,) else (label, *namespace)


def _owned(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str] | None:
    """Mark what is written as the user's, and ask for what is theirs."""
    owner = owner_of(ctx.user)
    if owner is None:
        return None
    if ctx.action in ("create", "update", "create_run"):
        # The server reads back the very object that it gave.
        if value.get("metadata") is None:
            value["metadata"] = {}
        value["metadata"][_OWNER] = owner
    return {_OWNER: owner}
