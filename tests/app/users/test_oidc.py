"""Users of an identity provider: which of its tokens count, and when its keys are fetched."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.warnings import InsecureKeyLengthWarning

from anamnesis import SettingError
from app.users import identity, oidc
from app.users.oidc import Keys, RefusedError, user_of
from app.users.tokens import add_token, tokens_file
from tests.app.provider import AUDIENCE, ISSUER, Signer, es256, rs256
from tests.http_servers import Quiet, Server, running


@pytest.fixture(scope="module")
def rs(signer: Signer) -> Signer:
    return signer


@pytest.fixture(scope="module")
def es() -> Signer:
    return es256("e1")


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rs: Signer, es: Signer) -> Path:
    """The file of the provider's keys, which the environment names."""
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps({"keys": [rs.public, es.public]}))
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(oidc.ISSUER, ISSUER)
    monkeypatch.setenv(oidc.AUDIENCE, AUDIENCE)
    monkeypatch.setenv(oidc.JWKS, str(file))
    return file


def test_a_signed_token_names_a_user_that_no_other_issuer_and_no_token_has(
    rs: Signer, es: Signer
) -> None:
    for signer in (rs, es):
        user = user_of(signer.sign())
        name = f"oidc:{ISSUER}#ann"
        assert user == {"identity": name, "permissions": ["asker"], "access_groups": []}
        assert identity.user_of(signer.sign()) == user
    with pytest.raises(SettingError, match="identity provider"):
        add_token(f"oidc:{ISSUER}#ann")
    # Nor does one count that was written into the file by hand.
    secret = add_token("ann")
    kept = tokens_file().read_text().replace('"user": "ann"', f'"user": "oidc:{ISSUER}#ann"')
    assert "oidc:" in kept
    tokens_file().write_text(kept)
    assert identity.user_of(secret) is None


CLAIMS: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://login.example/other"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "wiki"},
    "no audience": {"aud": None},
    "no end": {"exp": None},
    "not yet": {"nbf": time.time() + 3600},
    "made later": {"iat": time.time() + 3600},
    "no user": {"sub": None},
    "a blank user": {"sub": " "},
    "a user that cannot be printed": {"sub": "a\nb"},
}


@pytest.mark.parametrize("changes", CLAIMS.values(), ids=CLAIMS)
def test_a_token_with_wrong_claims_is_refused(rs: Signer, changes: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as error:
        user_of(rs.sign(changes))
    assert error.value.reason.startswith("jwt ")
    assert "ann" not in str(error.value)


def test_clocks_may_differ_a_little_and_the_holder_alone_learns_of_the_end(
    rs: Signer, es: Signer
) -> None:
    now = time.time()
    assert user_of(rs.sign({"exp": now - 10, "nbf": now + 10}))
    assert user_of(rs.sign({"aud": ["wiki", AUDIENCE]}))
    with pytest.raises(RefusedError, match="has expired; log in again"):
        user_of(rs.sign({"exp": now - 60}))
    forged = es256("e1").sign({"exp": now - 60})
    with pytest.raises(RefusedError) as error:
        user_of(forged)
    assert "expired" not in str(error.value)


def part(claims: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def forged(signer: Signer, algorithm: str, secret: bytes = b"") -> str:
    """A token by hand, as PyJWT itself would not make one."""
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": time.time() + 60}
    text = f"{part({'alg': algorithm, 'kid': signer.kid, 'typ': 'JWT'})}.{part(claims)}"
    signed = hmac.new(secret, text.encode(), hashlib.sha256).digest() if secret else b""
    return f"{text}.{base64.urlsafe_b64encode(signed).rstrip(b'=').decode()}"


def test_no_signature_and_a_public_key_as_secret_are_refused(rs: Signer) -> None:
    pem = rs.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for token in (
        forged(rs, "none"), forged(rs, "None"), forged(rs, "HS256", pem), forged(rs, "RS256", pem),
        forged(rs, "PS256"), forged(rs, "ES256", pem),
    ):  # fmt: skip
        with pytest.raises(RefusedError):
            user_of(token)


def test_a_token_is_signed_by_the_key_that_it_names(rs: Signer, es: Signer) -> None:
    other = rs256("r1")
    for token in (
        other.sign(), rs.sign(kid="e1"), es.sign(kid="r1"), rs.sign(kid="unknown"),
        rs.sign(kid=""), rs.sign()[:-8] + "AAAAAAAA", "a.b.c", "..", "x" * 20_000 + "..",
    ):  # fmt: skip
        with pytest.raises(RefusedError):
            user_of(token)


def test_keys_that_are_too_weak_or_for_something_else_do_not_count(
    keys: Path, monkeypatch: pytest.MonkeyPatch, rs: Signer, es: Signer, tmp_path: Path
) -> None:
    weak = rs256("weak", 1024)
    curve = Signer("curve", "ES384", ec.generate_private_key(ec.SECP384R1()))
    secret = {"kty": "oct", "kid": "oct", "k": base64.urlsafe_b64encode(b"x" * 32).decode()}
    file = tmp_path / "other.json"
    broken = {"kty": "RSA", "kid": "broken", "n": "?", "e": "AQAB"}
    refused = [weak.public, curve.public, secret, broken, {**rs.public, "use": "enc"}, es.public]
    file.write_text(json.dumps({"keys": refused}))
    monkeypatch.setenv(oidc.JWKS, str(file))
    by_secret = Signer("oct", "HS256", None)
    with pytest.warns(InsecureKeyLengthWarning):
        by_weak = weak.sign()
    for token in (by_weak, curve.sign(), rs.sign(), forged(by_secret, "HS256", b"x" * 32)):
        with pytest.raises(RefusedError):
            user_of(token)
    assert user_of(es.sign())


@pytest.mark.parametrize(
    ("claim", "value", "role"),
    [
        ("roles", ["nurse", "operator"], "operator"),
        ("roles", ["asker", "expert"], "expert"),
        ("roles", "openid asker", "asker"),
        ("realm_access.roles", ["expert"], "expert"),
        ("https://x.example/roles", ["operator"], "operator"),
        ("roles", ["nurse"], None),
        ("roles", [], None),
        ("roles", {"operator": True}, None),
        ("roles", None, None),
    ],
)
def test_the_role_is_the_highest_of_the_claim(
    monkeypatch: pytest.MonkeyPatch, rs: Signer, claim: str, value: object, role: str | None
) -> None:
    monkeypatch.setenv(oidc.ROLE_CLAIM, claim)
    claims = {"realm_access": {"roles": value}} if claim == "realm_access.roles" else {claim: value}
    if role is None:
        with pytest.raises(RefusedError, match="none of the roles"):
            user_of(rs.sign(claims))
    else:
        assert user_of(rs.sign(claims))["permissions"] == [role]


def test_the_user_is_that_of_the_claim(monkeypatch: pytest.MonkeyPatch, rs: Signer) -> None:
    monkeypatch.setenv(oidc.USER_CLAIM, "preferred_username")
    user = user_of(rs.sign({"preferred_username": "anna#1"}))
    assert user["identity"] == f"oidc:{ISSUER}#anna#1"
    with pytest.raises(RefusedError):
        user_of(rs.sign())


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        (oidc.AUDIENCE, "", "set ANAMNESIS_OIDC_AUDIENCE as well"),
        (oidc.JWKS, "http://login.example/keys", "https"),
        (oidc.ISSUER, "https://login.example#x", "issuer"),
    ],
)
def test_a_provider_named_in_the_wrong_way_lets_nobody_in(
    monkeypatch: pytest.MonkeyPatch, rs: Signer, name: str, value: str, problem: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingError, match=problem) as error:
        identity.user_of(rs.sign())
    text, reason = identity.refusal(error.value)
    assert reason is None
    assert "login.example" not in text
    assert identity.needed()


class Provider:
    """A provider's address with its keys; ``asked`` counts how often they were fetched."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.keys, self.asked, self.status = [*keys], 0, 200
        provider = self

        class OwnKeys(Quiet, BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked += 1
                body = json.dumps({"keys": provider.keys}).encode()
                self.send_response(provider.status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = Server(OwnKeys)
        self.address = f"{self.server.address}/jwks"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def provider(rs: Signer) -> Iterator[Provider]:
    provider = Provider(rs.public)
    with running(provider.server):
        yield provider


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets some seconds go by."""
    gone = 0.0
    real = time.monotonic
    monkeypatch.setattr("app.users.oidc.time.monotonic", lambda: real() + gone)

    def pass_by(seconds: float) -> None:
        nonlocal gone
        gone += seconds

    return pass_by


def test_unknown_keys_are_fetched_at_most_once_a_minute(
    provider: Provider, es: Signer, later: Callable[[float], None]
) -> None:
    keys = Keys(provider.address)
    assert keys.key("r1")
    assert provider.asked == 1
    for _ in range(50):
        assert keys.key("e1") is None
    assert provider.asked == 1
    provider.keys.append(es.public)
    later(61)
    assert keys.key("e1")
    assert keys.key("r1")
    assert provider.asked == 2


def test_a_provider_that_is_down_keeps_the_known_keys(
    provider: Provider, later: Callable[[float], None]
) -> None:
    keys = Keys(provider.address)
    assert keys.key("r1")
    provider.status = 500
    for _ in range(10):
        later(301)
        assert keys.key("r1")
        assert keys.key("e1") is None
    assert provider.asked == 11
    provider.stop()
    later(301)
    assert keys.key("r1")


def test_a_key_that_is_taken_back_ends_within_minutes(
    provider: Provider, es: Signer, later: Callable[[float], None]
) -> None:
    keys = Keys(provider.address)
    assert keys.key("r1")
    provider.keys = [es.public]
    later(301)
    keys.key("r1")
    assert keys.key("r1") is None
    assert keys.key("e1")
