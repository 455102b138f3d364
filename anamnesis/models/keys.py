"""Which key is sent to which address.

A provider's usual key (``OPENAI_API_KEY`` …) is for the provider's own address. If a reference
names another address, that key is not sent; the address gets the key that was set for it:

    ANAMNESIS_KEY_WARD="http://10.0.0.5:8000/v1 THE-KEY"

The name after ``ANAMNESIS_KEY_`` is free; the value is the address, a space and the key.
"""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from anamnesis.errors import SettingError

PREFIX = "ANAMNESIS_KEY_"
"""The prefix of environment variables that bind a key to an address."""
NO_KEY = "none"
"""The key for an address for which none is set: some clients require a key, and would otherwise
send the provider's from the environment."""

# Options that give a provider's address.
_PLACES = ("url", "uri", "base", "host", "endpoint", "address", "proxy")
# Providers whose class has only the key api_key, so that no other one is sent.
_BY_API_KEY = (
    "openai azure_openai deepseek fireworks groq mistralai openrouter perplexity together upstage "
    "xai"
).split()


def key_settings(provider: str, options: Mapping[str, str]) -> dict[str, Any]:
    """Settings with which a provider's class sends the right key; empty if no address is named.

    Raises SettingError for a provider that would send its usual key to the address anyway, for two
    different addresses, and for an environment variable of the wrong form.
    """
    named = {name: value for name, value in options.items() if is_address(name, value)}
    if not named:
        return {}
    keys = {key_for(value) for value in named.values()}
    if len(keys) > 1:
        raise SettingError(
            f"a reference to {provider!r} names {' and '.join(sorted(named))}, for which different "
            "keys are set; name one address"
        )
    key = keys.pop() or NO_KEY
    if provider == "ollama":
        return {"client_kwargs": {"headers": {"Authorization": f"Bearer {key}"}}}
    if provider not in _BY_API_KEY:
        raise SettingError(
            f"a reference to {provider!r} cannot name an address ({', '.join(sorted(named))}): its "
            "key would be sent there. Name an OpenAI-compatible server as openai:NAME?base_url=…, "
            f"or set the address in the environment, as {provider}'s package documents"
        )
    # Azure's class takes a token from the environment in addition to the key.
    return {"api_key": key} | ({"azure_ad_token": key} if provider == "azure_openai" else {})


def is_address(name: str, value: str) -> bool:
    """Whether an option of a reference gives the address for requests."""
    return "://" in value or name.lower().endswith(_PLACES)


def key_for(address: str) -> str | None:
    """The key that the environment binds to an address, or None.

    Raises SettingError, naming the variable but never its value, if its form is wrong.
    """
    found = None
    for name, value in os.environ.items():
        if not name.startswith(PREFIX):
            continue
        match value.split():
            case [key_address, key] if "://" in key_address:
                if _parts(key_address) == _parts(address):
                    found = key
            case _:
                raise SettingError(
                    f"the environment variable {name} has the wrong form; set it to an address, a "
                    "space and the key that is for it"
                )
    return found


def _parts(address: str) -> tuple[str, ...]:
    """What must be equal in equal addresses, of which the host may differ in case."""
    parts = urlsplit(address)
    return (parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query)
