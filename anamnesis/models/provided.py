"""Models of LangChain's providers by reference: what their classes are given."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.keys import key_settings
from anamnesis.models.patience import patience_of
from anamnesis.models.reference import Reference, pip_packages
from anamnesis.models.scrub import SECRET, scrubbed


@lru_cache(maxsize=1)
def embedding_providers() -> Mapping[str, str]:
    """The providers that LangChain's ``init_embeddings`` supports, with the pip package of each."""
    from langchain.embeddings import base

    return pip_packages(base._BUILTIN_PROVIDERS)


def provided(
    what: str, reference: Reference, package: str, make: Callable[..., Any], **model_settings: Any
) -> Any:
    """A provider's object: ``make`` called with the options of the reference, key and time-outs.

    ``what`` names it in errors; ``model_settings`` are those not in the reference. Raises
    ModelError if ``package`` is not installed or the object cannot be made, SettingError if the
    reference contains a key.
    """
    name = f"{what} {reference.scheme}:{reference.name}"
    if find_spec(package.replace("-", "_")) is None:
        raise ModelError(
            f"{name} needs a package that is not installed; run: pip install {package}"
        )
    settings: dict[str, Any] = {key: _value(text) for key, text in reference.options.items()}
    for key in settings:
        if re.search(f"{SECRET}$", key, re.IGNORECASE):
            raise SettingError(
                f"{name}: {key} does not belong in a reference, which is stored and shown; set the "
                f"environment variable that {package} reads"
            )
    settings |= key_settings(reference.scheme, reference.options) | model_settings
    make = partial(make, reference.name)
    try:
        made = make(**settings)
        if patience := patience_of(type(made), settings):
            made = make(**settings, **patience)
    except Exception as error:  # every provider has its own errors: no key, unknown setting
        line = next((part for part in str(error).splitlines() if part.strip()), "no message")
        raise ModelError(
            f"{name} cannot be set up ({type(error).__name__}: {scrubbed(line, [])}); see the "
            f"documentation of {package} for the key and settings it needs"
        ) from None
    return made


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text
