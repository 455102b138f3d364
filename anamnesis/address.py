"""The address of an engine on a server; it may contain a password and is never shown completely."""

import re
from pathlib import Path

from anamnesis.errors import SettingError

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://")


class Address:
    """An address such as ``postgresql://user:password@host/name``.

    As text it has no user, password or options, so that no message, log or trace contains them.
    """

    def __init__(self, text: str) -> None:
        """Raises SettingError, which does not repeat the text, for an invalid address."""
        scheme = _SCHEME.match(text)
        if scheme is None:
            raise SettingError("an address begins with its scheme, as in postgresql://host/name")
        self.scheme = scheme[1]
        self._whole = text
        rest, _, options = text[scheme.end() :].partition("?")
        # Part of a password with a question mark would be parsed as options.
        self._shown = "…" if "@" in options else rest.rpartition("@")[2]

    def reveal(self) -> str:
        """The whole address with its password, only for the engine's own library."""
        return self._whole

    def __str__(self) -> str:
        return f"{self.scheme}://{self._shown}"

    def __repr__(self) -> str:
        return f"<Address {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and self._whole == other._whole

    def __hash__(self) -> int:
        return hash(self._whole)


Location = Path | Address
"""The place of an index: a folder, or a server."""


def is_address(text: str) -> bool:
    """Whether a text names a server, not a folder."""
    return _SCHEME.match(text) is not None


def parse_location(given: str | Location) -> Location:
    """The folder or the server that a text names."""
    if isinstance(given, str):
        return Address(given) if is_address(given) else Path(given).expanduser()
    return given
