"""The settings of a result compared with the present ones of its command."""

from collections.abc import Mapping
from typing import Any

from nodes.settings.context import Context
from nodes.settings.names import flat, groups

_UNREAD = (
    "generator.prompt_format",
    "generator.prompt_tokens",
    "generator.fact_tokens",
    "generator.structured",
    "retrieval.gate",
    "question.summarise",
    "question.conversation",
    "question.premises",
)
"""Settings that do not affect a quoting answer to a single question."""

_LISTED = ("generator.alternatives",)
"""Settings of what is listed below an answer; no protocol measures it."""

_UNREAD_ALONE = ("verification.unsure_from", "verification.unsure_until")
"""Settings that do not affect an answer that one critic checks."""

Rows = dict[str, dict[str, Any]]


def compared(
    now: Mapping[str, Context], kept: Mapping[str, Mapping[str, Any]]
) -> tuple[Rows, Rows]:
    """The settings of each row that affect its answers: now, and as stored.

    A setting that did not exist yet is assumed to have had its present default.
    """
    asked = {name: _named(item.model_dump(mode="json")) for name, item in now.items()}
    shipped = _named(Context.model_validate({}).model_dump(mode="json"))
    whole = {name: shipped | _named(item) for name, item in kept.items()}
    return _read(asked), _read(whole)


def _named(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings by name, except the place of the index."""
    named = dict(flat(settings, Context, known_only=True))
    gone = settings.keys() - named.keys() - set(groups(Context))
    return {**named, **{name: settings[name] for name in gone}, "index": None}


def _read(settings: Rows) -> Rows:
    return {name: item | dict.fromkeys(_unread(item)) for name, item in settings.items()}


def _unread(settings: Mapping[str, Any]) -> tuple[str, ...]:
    quoting = settings["generator.model"] == "extractive"
    alone = settings["verification.second_critic"] is None
    return (*_LISTED, *(_UNREAD if quoting else ()), *(_UNREAD_ALONE if alone else ()))
