"""How long a provider's client waits: settings for the classes that have such fields."""

import math
from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel

from anamnesis.limits import limits


def patience_of(model: type[BaseChatModel], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings for a class of chat models: time-outs, and no retries by the client.

    Values that ``settings`` already has are not changed. The time-out limits the time in which the
    provider sends nothing; ``anamnesis.models.calling`` limits the whole call and makes further
    attempts.
    """
    import httpx

    allowed = limits()
    silence = httpx.Timeout(allowed.model_read_timeout, connect=allowed.model_connect_timeout)
    found: dict[str, Any] = {}
    for name, field in getattr(model, "model_fields", {}).items():
        known = field.alias or name
        if {name, known} & set(settings):
            continue
        if known == "timeout":
            # Some classes accept only a number.
            takes_any = "Any" in str(field.annotation)
            found[known] = silence if takes_any else math.ceil(allowed.model_read_timeout)
        elif known == "max_retries":
            found[known] = 0
        elif known == "client_kwargs":
            found[known] = {"timeout": silence}
    return found
