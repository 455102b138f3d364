"""Bearer tokens: who may use the server; the file contains no token.

The file is created with the first token and stays: while it exists, the server requires a token,
even if all are revoked. Without it there are no separate users. Creation, rotation and revocation
of tokens are recorded in the audit log before the file changes.
"""

import hmac
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter, ValidationError

from anamnesis import SettingError
from anamnesis.paths import home
from app.users.audit import hashed, object_name, record

Role = Literal["asker", "expert", "operator"]
"""What a user may do: an asker has access to their own data, an expert also to the questions for
experts, an operator also to the audit log and the details of the server's health."""
ROLES: tuple[Role, ...] = ("asker", "expert", "operator")
"""The roles, each with all rights of the previous ones."""
DECIDING: tuple[Role, ...] = ROLES[1:]
"""The roles that decide on the questions for experts."""
DAYS = 90
"""How long a token is valid by default."""
GRACE_HOURS = 24
"""How long a rotated token stays valid."""
OF_OIDC = "oidc:"
"""The prefix of user names from an identity provider; no other user's name has it."""

GROUPS = "access_groups"
"""The entry of a user, in the server's representation, with the access groups."""

_LONGEST = 36_500  # days
_RESERVED = ("identity", "is_authenticated", "display_name", "permissions", GROUPS)


class Token(BaseModel):
    """A stored token: its user and its SHA-256.

    A token is 256 random bits, so no slow hash is needed. ``attributes`` are the user's department,
    location and so on, which decide which experts' notes the user sees [M9]; ``groups`` decide
    which documents (``retrievers.filter``). A token without ``expires`` is from a file made before
    tokens expired: it is valid until it is rotated or revoked.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    user: str
    sha256: str
    created: str
    attributes: dict[str, str] = {}
    expires: AwareDatetime | None = None
    role: Role = "asker"
    groups: list[str] = []

    @property
    def expired(self) -> bool:
        """Whether the token has expired."""
        return self.expires is not None and self.expires <= datetime.now(UTC)


class ExpiredError(SettingError):
    """The token is known but has expired; ``user`` is its user."""

    def __init__(self, token: Token) -> None:
        self.user = token.user
        super().__init__(
            f"this token expired on {token.expires:%d %B %Y}; the server's operator makes another "
            f"one with: anamnesis token rotate USER {token.id}"
        )


_TOKENS = TypeAdapter(list[Token])


def tokens_file() -> Path:
    """The path of the file of tokens."""
    return home() / "tokens.json"


def read_tokens() -> list[Token]:
    """The tokens in the file; none without a file. Raises SettingError if it is damaged."""
    path = tokens_file()
    try:
        return _TOKENS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (ValidationError, OSError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
        raise SettingError(
            f"{path} is not a file of tokens ({why}); restore it, or delete it and make new tokens"
        ) from None


def add_token(
    user: str,
    attributes: Mapping[str, str] | None = None,
    *,
    days: int = DAYS,
    role: Role = "asker",
    groups: Sequence[str] = (),
) -> str:
    """Add a token for the user, valid for ``days``. Returns the secret, which is not stored.

    Raises SettingError for a blank name, a name with the prefix of an identity provider's users, a
    reserved attribute, a blank group, an invalid number of days, or a damaged file.
    """
    if not user.strip() or user != user.strip() or not user.isprintable():
        raise SettingError(f"{user!r} is not a valid user name; use printable characters")
    if user.startswith(OF_OIDC):
        raise SettingError(
            f"names that begin with {OF_OIDC} are those of an identity provider's users; choose "
            "another name"
        )
    for name in attributes or {}:
        if not name.isidentifier() or name.startswith("_") or name in _RESERVED:
            raise SettingError(f"an attribute cannot be named {name!r}; choose another name")
    if not all(group.strip() for group in groups):
        raise SettingError("a group has a name: leave out the blank one")
    secret, new = _made(user, attributes or {}, days, role, groups)
    _change(lambda there: [*there, new], "make token", [new])
    return secret


def rotate(user: str, token: str, *, days: int = DAYS, grace_hours: float = GRACE_HOURS) -> str:
    """Replace the token with this id; all else of it stays. Returns the new secret.

    The old token stays valid for the hours of grace, but not longer than before. Raises
    SettingError if there is none, or for an invalid number of days or hours.
    """
    old = next((item for item in read_tokens() if (item.user, item.id) == (user, token)), None)
    if old is None:
        raise _none()
    if not 0 <= grace_hours <= 24 * _LONGEST:
        raise SettingError(f"the hours of grace are 0 or more, not {grace_hours}")
    until = datetime.now(UTC) + timedelta(hours=grace_hours)
    secret, new = _made(user, old.attributes, days, old.role, old.groups)

    def rotated(item: Token) -> Token:
        if item.id != token:
            return item
        return item.model_copy(update={"expires": min(item.expires or until, until)})

    _change(lambda there: [*map(rotated, there), new], "rotate token", [old], is_there=old)
    return secret


def revoke(user: str, token: str | None = None) -> int:
    """Revoke the user's tokens, or the one with this id. Returns their number.

    Raises SettingError if there is none.
    """
    gone = [item for item in read_tokens() if item.user == user and token in (None, item.id)]
    if not gone:
        raise _none()
    ids = {item.id for item in gone}
    _change(lambda there: [item for item in there if item.id not in ids], "revoke token", gone)
    return len(gone)


def user_of(secret: str) -> dict[str, Any] | None:
    """The user of the token, in the server's representation; None for an unknown token.

    Raises ExpiredError if the token has expired.
    """
    digest = hashed(secret)
    # All are compared, each in constant time, so the timing reveals nothing about any of them.
    found = [item for item in read_tokens() if hmac.compare_digest(item.sha256, digest)]
    if not found or found[0].user.startswith(OF_OIDC):
        return None
    if found[0].expired:
        raise ExpiredError(found[0])
    known = {"identity": found[0].user, "permissions": [found[0].role], GROUPS: found[0].groups}
    return {**found[0].attributes, **known}


def user_label(user: str) -> str:
    """The user's name for folders and namespaces: letters, digits and a dash.

    It is a digest, because names may contain characters that folder names cannot, and because no
    digest is the prefix of another.
    """
    return f"user-{hashed(user)[:32]}"


def _made(
    user: str, attributes: Mapping[str, str], days: int, role: Role, groups: Sequence[str]
) -> tuple[str, Token]:
    """A secret, and the token that is stored for it."""
    if not 1 <= days <= _LONGEST:
        raise SettingError(f"a token is valid for 1 to {_LONGEST} days, not {days}")
    secret, now = secrets.token_urlsafe(32), datetime.now(UTC).replace(microsecond=0)
    return secret, Token(
        id=secrets.token_hex(4),
        user=user,
        sha256=hashed(secret),
        created=now.isoformat(),
        attributes=dict(attributes),
        expires=now + timedelta(days=days),
        role=role,
        groups=list(groups),
    )


def _none() -> SettingError:
    return SettingError("there is no such token; see: anamnesis token list")


def _change(
    change: Callable[[list[Token]], list[Token]],
    action: str,
    tokens: Sequence[Token],
    is_there: Token | None = None,
) -> None:
    """Change the file atomically, after the action and its tokens have been recorded."""
    path = tokens_file()
    partly = path.with_suffix(".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The file of this change also serves as a lock.
        file = os.open(partly, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SettingError(
            f"another command is changing the tokens, or was interrupted; if none runs, delete "
            f"{partly}"
        ) from None
    except OSError as error:
        raise SettingError(
            f"the tokens in {path.parent} cannot be changed ({error.strerror}); let this account "
            "write there"
        ) from error
    try:
        with os.fdopen(file, "wb") as out:
            there = read_tokens()
            if is_there is not None and is_there not in there:
                raise _none()
            out.write(_TOKENS.dump_json(change(there), indent=1))
            out.flush()
            os.fsync(out.fileno())
        for token in tokens:
            record(action, object_name("token", token.id), owner=token.user)
        partly.replace(path)
    except BaseException:
        partly.unlink(missing_ok=True)
        raise
