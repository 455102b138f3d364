"""Bearer tokens: who may ask the server, in a file that holds no token.

The file appears with the first token and stays: with it the server answers nobody without a
token, even where all are revoked. Without it there are no users to tell apart.
"""

import hmac
import os
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from anamnesis import SettingError
from anamnesis.paths import home

_RESERVED = ("identity", "is_authenticated", "display_name", "permissions")


class Token(BaseModel):
    """A token as it is kept: whose it is, and its SHA-256.

    A token is 256 random bits, so that no slow hash is needed to hide it. ``attributes`` are
    the user's department, location and so on, which decide what experts' notes are seen [M9].
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    user: str
    sha256: str
    created: str
    attributes: dict[str, str] = {}


_TOKENS = TypeAdapter(list[Token])


def tokens_file() -> Path:
    """Where the tokens are kept."""
    return home() / "tokens.json"


def read_tokens() -> list[Token]:
    """The tokens in the file; none without one. Raises SettingError if it is damaged."""
    path = tokens_file()
    try:
        return _TOKENS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (ValidationError, OSError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
        raise SettingError(
            f"{path} is no file of tokens ({why}); restore it, or delete it and make the tokens "
            "anew"
        ) from None


def add_token(user: str, attributes: Mapping[str, str] | None = None) -> str:
    """A new token of the user; what comes back is kept nowhere.

    Raises SettingError for a blank name, an attribute that has a meaning already, or a file that
    is damaged.
    """
    if not user.strip() or user != user.strip() or not user.isprintable():
        raise SettingError(f"{user!r} is no user's name; use printable characters")
    for name in attributes or {}:
        if not name.isidentifier() or name.startswith("_") or name in _RESERVED:
            raise SettingError(f"an attribute cannot be named {name!r}; choose another name")
    secret = secrets.token_urlsafe(32)
    new = Token(
        id=secrets.token_hex(4),
        user=user,
        sha256=_hashed(secret),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        attributes=dict(attributes or {}),
    )
    _change(lambda there: [*there, new])
    return secret


def revoke(user: str, token: str | None = None) -> int:
    """Revoke the user's tokens, or the one of this id; how many comes back.

    Raises SettingError if there is none.
    """

    def gone(own: Token) -> bool:
        return own.user == user and token in (None, own.id)

    before, after = _change(lambda there: [own for own in there if not gone(own)], gone)
    return before - after


def user_of(secret: str) -> dict[str, Any] | None:
    """Who holds the token, as the server knows users; None for a token that there is not."""
    hashed = _hashed(secret)
    # All are compared, each in constant time, so that timing tells nothing of any of them.
    found = [own for own in read_tokens() if hmac.compare_digest(own.sha256, hashed)]
    return {**found[0].attributes, "identity": found[0].user} if found else None


def user_label(user: str) -> str:
    """The user's name for folders and namespaces: letters, digits and a dash.

    A digest: names may hold what those cannot, and no digest begins another one.
    """
    return f"user-{_hashed(user)[:32]}"


def _hashed(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _change(
    change: Callable[[list[Token]], list[Token]], wanted: Callable[[Token], bool] | None = None
) -> tuple[int, int]:
    """Change the file, whole or not at all; how many tokens there were, and are."""
    path = tokens_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    partly = path.with_suffix(".partial")
    try:
        # Made for this change alone, it also keeps off another one.
        file = os.open(partly, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SettingError(
            f"another command is changing the tokens, or was cut short; if none runs, delete "
            f"{partly}"
        ) from None
    try:
        with os.fdopen(file, "wb") as out:
            there = read_tokens()
            if wanted and not any(map(wanted, there)):
                raise SettingError("there is no such token; see: anamnesis token list")
            changed = change(there)
            out.write(_TOKENS.dump_json(changed, indent=1))
            out.flush()
            os.fsync(out.fileno())
        partly.replace(path)
    except BaseException:
        partly.unlink(missing_ok=True)
        raise
    return len(there), len(changed)
