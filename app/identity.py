"""Who bears a credential: the user of one of our own tokens, or an identity provider's user."""

from collections.abc import Mapping
from typing import Any

from anamnesis import SettingError
from app import oidc, tokens


def needed() -> bool:
    """Whether only those are answered who say who they are."""
    return oidc.is_configured() or tokens.tokens_file().exists()


def presented(headers: Mapping[str, str]) -> str:
    """The credential of a request, from ``Authorization: Bearer`` or ``x-api-key``; else ''.

    The first one counts where there are both: the SDK sends any key of the environment along.
    """
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return secret.strip()
    return headers.get("x-api-key", "").strip()


def user_of(secret: str) -> dict[str, Any] | None:
    """Who bears the credential, as the server knows users; None for one that there is not.

    Raises ``app.tokens.ExpiredError`` and ``app.oidc.RefusedError`` with what may be said to its
    bearer, and SettingError where the server cannot tell, which is for its operator alone.
    """
    if not secret:
        return None
    if oidc.looks_like(secret) and oidc.is_configured():
        return oidc.user_of(secret)
    return tokens.user_of(secret)


def refusal(error: SettingError) -> tuple[str, str | None]:
    """What may be said to the bearer of a credential, and the reason for the audit log.

    The reason is None where the fault is the server's.
    """
    if isinstance(error, tokens.ExpiredError):
        return str(error), "expired"
    if isinstance(error, oidc.RefusedError):
        return str(error), error.reason
    return "this server cannot read its tokens; its log tells the operator why", None


def role_of(user: Any) -> str:
    """The role of whom a request is from: who needs no token is alone, and the operator."""
    if not user.is_authenticated:
        return "operator"
    found = [role for role in getattr(user, "permissions", None) or () if role in tokens.ROLES]
    return found[0] if found else "asker"
