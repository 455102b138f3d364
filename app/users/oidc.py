"""Users of an identity provider: OpenID Connect tokens (JWT).

PyJWT checks signature and claims (RFC 7519). This module decides which algorithms and keys are
accepted, when keys are fetched, and how a user of the provider is named. Only keys are requested
from the provider, never data about a user.
"""

import json
import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import jwt

from anamnesis import SettingError
from app.users.door import is_here
from app.users.tokens import GROUPS, OF_OIDC, ROLES, Role

ISSUER = "ANAMNESIS_OIDC_ISSUER"
AUDIENCE = "ANAMNESIS_OIDC_AUDIENCE"
JWKS = "ANAMNESIS_OIDC_JWKS"
ROLE_CLAIM = "ANAMNESIS_OIDC_ROLE_CLAIM"
USER_CLAIM = "ANAMNESIS_OIDC_USER_CLAIM"
GROUP_CLAIM = "ANAMNESIS_OIDC_GROUP_CLAIM"

_KEY_TYPES = {"RS256": ("RSA", None), "ES256": ("EC", "P-256")}
"""The accepted algorithms, each with its key type; all are asymmetric. 'none' means no signature,
and with HS* a public key would serve as the secret.
"""
_LEAST_BITS = 2048  # of an RSA key
_LEEWAY = 30  # seconds that clocks may differ
_LONGEST = 16_000  # characters of a token
_PAUSE = 60.0  # seconds between two attempts to fetch keys
_AGE = 300.0  # seconds after which keys are fetched again, so that a withdrawn key becomes invalid
_PATIENCE = 5.0  # seconds for the provider to answer

_log = logging.getLogger(__name__)


class RefusedError(SettingError):
    """A refused token. ``reason`` is for the audit log and contains nothing of the token."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class Provider(NamedTuple):
    """The identity provider configured in the environment."""

    issuer: str
    audience: str
    jwks: str
    role_claim: str | None
    user_claim: str
    group_claim: str | None


def is_configured() -> bool:
    """Whether the environment configures an identity provider, even incompletely."""
    return any(os.environ.get(name) for name in (ISSUER, AUDIENCE, JWKS))


def provider() -> Provider:
    """The identity provider. Raises SettingError if its configuration is incomplete or invalid."""
    given = {name: os.environ.get(name, "").strip() for name in (ISSUER, AUDIENCE, JWKS)}
    if missing := [name for name, value in given.items() if not value]:
        raise SettingError(f"set {' and '.join(missing)} as well, or none of {', '.join(given)}")
    issuer, jwks = given[ISSUER], given[JWKS]
    if "#" in issuer:  # separator before the user's name; no issuer contains one (OIDC Core 2)
        raise SettingError(f"{ISSUER} is not a valid issuer: {issuer!r} has a '#'")
    address = urlsplit(jwks)
    # Whoever can change keys in transit can impersonate any user.
    if address.scheme == "http" and not is_here(address.hostname):
        raise SettingError(f"{JWKS} must begin with https://, or name a file: {jwks!r}")
    role, group = (os.environ.get(name) or None for name in (ROLE_CLAIM, GROUP_CLAIM))
    user = os.environ.get(USER_CLAIM) or "sub"
    return Provider(issuer, given[AUDIENCE], jwks, role, user, group)


class Keys:
    """The provider's keys, by id.

    They are fetched every five minutes, and when a token names an unknown key, at most once a
    minute. If that fails, the known keys are kept.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._keys: dict[str, Any] = {}
        self._tried = self._fetched = float("-inf")
        self._lock = Lock()

    def key(self, kid: str) -> Any:
        """The key of this id; None if there is none."""
        if kid not in self._keys:
            with self._lock:
                if kid not in self._keys:
                    self._fetch()
        elif time.monotonic() - self._fetched > _AGE and self._lock.acquire(blocking=False):
            try:
                self._fetch()
            finally:
                self._lock.release()
        return self._keys.get(kid)

    def _fetch(self) -> None:
        if time.monotonic() - self._tried < _PAUSE:
            return
        self._tried = time.monotonic()
        try:
            # One by one: a set may contain keys of other kinds.
            found = {item["kid"]: key for item in self._read() if (key := _usable(item))}
        except Exception as error:  # an error here must not admit anybody
            _log.error("the keys of %s cannot be read: %s", self._source, type(error).__name__)
            return
        self._keys, self._fetched = found, time.monotonic()

    def _read(self) -> list[dict[str, Any]]:
        if urlsplit(self._source).scheme not in ("http", "https"):
            return list(json.loads(Path(self._source).expanduser().read_bytes())["keys"])
        answered = httpx.get(self._source, timeout=_PATIENCE, follow_redirects=False)
        return list(answered.raise_for_status().json()["keys"])


_keys: dict[str, Keys] = {}


def user_of(token: str) -> dict[str, Any]:
    """The user named by a token, in the server's representation.

    The identity is ``oidc:``, the issuer, ``#`` and the user's name there, which no other user can
    have. Raises RefusedError for an invalid token, and SettingError if the provider's configuration
    is invalid.
    """
    named = provider()
    header = _header(token)
    algorithm, kid = header.get("alg"), header.get("kid")
    if algorithm not in _KEY_TYPES:
        raise _wrong("algorithm", f"is not signed by one of {', '.join(_KEY_TYPES)}")
    if not isinstance(kid, str):
        raise _wrong("key", "names no key (kid)")
    key = _keys.setdefault(named.jwks, Keys(named.jwks)).key(kid)
    if key is None or key.key_type != _KEY_TYPES[algorithm][0]:
        raise _wrong("key", "is signed by a key that the identity provider does not list")
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=named.audience,
            issuer=named.issuer,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "aud", named.user_claim]},
        )
    except jwt.ExpiredSignatureError:
        # The signature is valid, so the request is from the token's holder.
        raise RefusedError("expired", "this token has expired; log in again for another") from None
    except jwt.PyJWTError as error:
        reason = type(error).__name__.removesuffix("Error")
        raise _wrong(
            reason, "is not valid here; its issuer, audience, time or signature is wrong"
        ) from None
    user = claims[named.user_claim]
    if not isinstance(user, str) or not user.strip() or not user.isprintable():
        raise _wrong("user", f"names no user in its claim {named.user_claim!r}")
    identity = f"{OF_OIDC}{named.issuer}#{user}"
    known = {"identity": identity, "permissions": [_role(claims, named.role_claim)]}
    return known | {GROUPS: _groups(claims, named.group_claim)}


def looks_like(secret: str) -> bool:
    """Whether it has the three parts of a JWT, which the server's own tokens never have."""
    return secret.count(".") == 2


def _header(token: str) -> dict[str, Any]:
    if len(token) > _LONGEST:
        raise _wrong("length", "is too long")
    try:
        return jwt.get_unverified_header(token)
    except jwt.PyJWTError:
        raise _wrong("form", "is not a JWT") from None


def _usable(fields: Mapping[str, Any]) -> jwt.PyJWK | None:
    """A key of the set, if it can sign a token by one of the algorithms; else None."""
    if not isinstance(fields.get("kid"), str) or fields.get("use", "sig") != "sig":
        return None
    if (fields.get("kty"), fields.get("crv")) not in _KEY_TYPES.values():
        return None
    try:
        key = jwt.PyJWK(dict(fields))
    except jwt.PyJWTError:
        return None
    return key if fields["kty"] == "EC" or key.key.key_size >= _LEAST_BITS else None


def _role(claims: Mapping[str, Any], claim: str | None) -> Role:
    """The highest known role in the claim; ``asker`` if no claim is configured."""
    if claim is None:
        return "asker"
    value = _claimed(claims, claim)
    there = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    for role in reversed(ROLES):
        if role in there:
            return role
    raise _wrong("role", f"gives none of the roles {', '.join(ROLES)} in its claim {claim!r}")


def _groups(claims: Mapping[str, Any], claim: str | None) -> list[str]:
    """The access groups in the claim: a list of names, or one name; none if it has another form."""
    value = None if claim is None else _claimed(claims, claim)
    named = value if isinstance(value, list) else [value]
    return [item for item in named if isinstance(item, str) and item]


def _claimed(claims: Mapping[str, Any], claim: str) -> Any:
    """A claim; a nested one is named with dots, such as ``realm_access.roles``."""
    value: Any = claims.get(claim)
    if value is None:
        value = claims
        for name in claim.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _wrong(reason: str, message: str) -> RefusedError:
    return RefusedError(f"jwt {reason}", f"the token {message}")
