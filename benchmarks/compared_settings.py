"""The settings of a result beside those that its command has now."""

import json
from collections.abc import Mapping
from typing import Any

from nodes.context import Context

_UNREAD = (
    "prompt_form",
    "prompt_tokens",
    "fact_tokens",
    "structured",
    "gate",
    "conversation",
    "premises",
)
"""What changes nothing of an answer that quotes, to a question by itself."""

Rows = dict[str, dict[str, Any]]


def compared(
    now: Mapping[str, Context], kept: Mapping[str, Mapping[str, Any]]
) -> tuple[Rows, Rows]:
    """The settings of each row that bear on its answers: now, and as they were kept.

    What was no setting yet was as a setting's default is now.
    """
    asked = {name: own.model_dump(exclude={"index"}) for name, own in now.items()}
    shipped = Context.model_validate({}).model_dump(mode="json", exclude={"index"})
    whole = {name: {**shipped, **own} for name, own in kept.items()}
    return _read(json.loads(json.dumps(asked))), _read(whole)


def _read(settings: Rows) -> Rows:
    return {
        name: own | dict.fromkeys(_UNREAD) if own["generator"] == "extractive" else own
        for name, own in settings.items()
    }
