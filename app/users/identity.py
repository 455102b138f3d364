"""The user of a credential: of one of the server's tokens, or of an identity provider."""

from collections.abc import Mapping
from typing import Any

from anamnesis import SettingError
from app.users import oidc, tokens
from retrievers.filter import Filter


def needed() -> bool:
    """Whether requests need a credential."""
    return oidc.is_configured() or tokens.tokens_file().exists()


def presented(headers: Mapping[str, str]) -> str:
    """The credential of a request, from ``Authorization: Bearer`` or ``x-api-key``; else ''.

    If both are sent, the first counts, because the SDK also sends any key in the environment.
    """
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return secret.strip()
    return headers.get("x-api-key", "").strip()


def user_of(secret: str) -> dict[str, Any] | None:
    """The user of the credential, in the server's representation; None if it is unknown.

    Raises ``app.users.tokens.ExpiredError`` and ``app.users.oidc.RefusedError`` with a message for
    its holder, and SettingError, with a message for the operator only, if the server cannot check
    it.
    """
    if not secret:
        return None
    if oidc.looks_like(secret) and oidc.is_configured():
        return oidc.user_of(secret)
    return tokens.user_of(secret)


def readable(user: Any) -> Filter:
    """The documents that a request's user may read: those without access groups, and of theirs.

    Without tokens one person uses one machine, and may read all.
    """
    if user is None or not user.is_authenticated:
        return Filter() if needed() else Filter(access=None)
    try:
        groups = user[tokens.GROUPS]
    except (TypeError, KeyError, AttributeError):
        groups = ()
    # An attribute with this name is a text.
    named = groups if isinstance(groups, list | tuple) else ()
    return Filter(access=tuple(item for item in named if isinstance(item, str)))


def refusal(error: SettingError) -> tuple[str, str | None]:
    """The message to the holder of a credential, and the reason for the audit log.

    The reason is None if the fault is the server's.
    """
    if isinstance(error, tokens.ExpiredError):
        return str(error), "expired"
    if isinstance(error, oidc.RefusedError):
        return str(error), error.reason
    return "this server cannot read its tokens; the reason is in its log", None


def role_of(user: Any) -> str:
    """The role of a request's user; without tokens there is one user, who is the operator."""
    if not user.is_authenticated:
        return "operator"
    found = [role for role in getattr(user, "permissions", None) or () if role in tokens.ROLES]
    return found[0] if found else "asker"
