"""An identity provider's keys and tokens."""

import time
from typing import Any, NamedTuple

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

ISSUER = "https://login.example/realm"
AUDIENCE = "anamnesis"


class Signer(NamedTuple):
    """A key of the provider."""

    kid: str
    algorithm: str
    private: Any

    @property
    def public(self) -> dict[str, Any]:
        """As it stands in the provider's set of keys."""
        curved = isinstance(self.private, ec.EllipticCurvePrivateKey)
        kind = jwt.algorithms.ECAlgorithm if curved else jwt.algorithms.RSAAlgorithm
        key: dict[str, Any] = kind.to_jwk(self.private.public_key(), as_dict=True)
        return {**key, "kid": self.kid, "use": "sig", "alg": self.algorithm}

    def sign(self, changes: dict[str, Any] | None = None, **header: Any) -> str:
        """A token with these claims in place of the usual ones; None leaves one out."""
        now = time.time()
        usual = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": now + 60, "iat": now}
        claims = {**usual, **(changes or {})}
        given = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(given, self.private, self.algorithm, headers={"kid": self.kid, **header})


def rs256(kid: str, bits: int = 2048) -> Signer:
    """A new RSA key."""
    return Signer(kid, "RS256", rsa.generate_private_key(65537, bits))


def es256(kid: str) -> Signer:
    """A new key on the curve P-256."""
    return Signer(kid, "ES256", ec.generate_private_key(ec.SECP256R1()))
