"""Encryption of stored user data [H10]; off unless a key is set.

``ANAMNESIS_MEMORY_KEY`` has the key, or ``ANAMNESIS_MEMORY_KEY_FILE`` names a file with one key per
line. The first key encrypts and all decrypt, so that a key can be replaced. A key is Fernet's: 32
bytes in base64, of which half sign and half encrypt (AES-128-CBC with HMAC-SHA-256).
"""

import hmac
import os
from base64 import urlsafe_b64decode
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from anamnesis.errors import MemoryFolderError, SettingError

KEY = "ANAMNESIS_MEMORY_KEY"
"""The environment variable with the key."""
KEY_FILE = "ANAMNESIS_MEMORY_KEY_FILE"
"""The environment variable that names a file with the keys, the one in use first."""
_REMEDY = "make one with `anamnesis memory new-key`"


class Cipher:
    """Encrypts and decrypts texts; made by ``cipher``."""

    def __init__(self, keys: tuple[str, ...], where: str) -> None:
        try:
            from cryptography.fernet import Fernet, InvalidToken, MultiFernet
        except ModuleNotFoundError as error:
            raise SettingError(
                f"{where} is set, and encryption needs the package cryptography: "
                "pip install 'anamnesis[encryption]'"
            ) from error
        try:
            self._fernet: Any = MultiFernet([Fernet(key) for key in keys])
            self._first: Any = Fernet(keys[0])
        except (ValueError, TypeError):
            # The library's error is not chained: its message would show the key.
            raise SettingError(
                f"{where} is not a valid key (32 bytes in base64); {_REMEDY}"
            ) from None
        self._invalid: type[Exception] = InvalidToken
        self._secret = hmac.digest(urlsafe_b64decode(keys[0]), b"anamnesis gist", "sha256")

    def encrypted(self, text: str) -> str:
        """The text, encrypted with the first key."""
        token: bytes = self._fernet.encrypt(text.encode())
        return token.decode()

    def decrypted(self, token: str, what: str) -> str:
        """The text of a token. Raises MemoryFolderError, naming ``what``, if no key decrypts it."""
        try:
            text: bytes = self._fernet.decrypt(token.encode())
        except self._invalid as error:
            raise MemoryFolderError(
                f"{what} is encrypted with another key, or damaged; set {KEY} or {KEY_FILE} to the "
                "key that it was encrypted with"
            ) from error
        return text.decode()

    def is_first(self, token: str) -> bool:
        """Whether the first key decrypts a token, and not an older key."""
        try:
            self._first.decrypt(token.encode())
        except self._invalid:
            return False
        return True

    def digest(self, text: str) -> str:
        """A keyed digest, by which equal texts can be found; it cannot be computed without the
        key."""
        return hmac.new(self._secret, text.encode(), sha256).hexdigest()


def cipher() -> Cipher | None:
    """The cipher that the environment names; None if nothing is encrypted.

    Raises SettingError if a key is invalid, its file cannot be read, or both variables are set.
    """
    key, file = os.environ.get(KEY, "").strip(), os.environ.get(KEY_FILE, "").strip()
    if key and file:
        raise SettingError(f"{KEY} and {KEY_FILE} are both set; keep one of them")
    if key:
        return _cipher_of((key,), KEY)
    return _cipher_of(_keys(Path(file)), f"{KEY_FILE}, {file},") if file else None


def new_key() -> str:
    """A new random key. Raises SettingError if the package is missing."""
    try:
        from cryptography.fernet import Fernet
    except ModuleNotFoundError as error:
        raise SettingError(
            "a key is made by the package cryptography: pip install 'anamnesis[encryption]'"
        ) from error
    return Fernet.generate_key().decode()


def _keys(file: Path) -> tuple[str, ...]:
    try:
        lines = file.read_text("ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(
            f"the keys in {KEY_FILE}, {file}, cannot be read ({type(error).__name__}); {_REMEDY}"
        ) from error
    if not lines:
        raise SettingError(f"{KEY_FILE}, {file}, contains no key; {_REMEDY}")
    return tuple(lines)


@lru_cache(maxsize=8)
def _cipher_of(keys: tuple[str, ...], where: str) -> Cipher:
    return Cipher(keys, where)
