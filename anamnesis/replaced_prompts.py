"""The prompts of a run that replace the project's own."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar

from anamnesis.context_variable import setting_variable

_texts: ContextVar[Mapping[str, str]] = ContextVar("anamnesis_wording", default={})  # noqa: B039


def replacing_prompts(texts: Mapping[str, str]) -> AbstractContextManager[None]:
    """Within the block, the prompts with these names have these texts."""
    return setting_variable(_texts, texts)


def replaced_prompt(name: str) -> str | None:
    """The text that the run uses for a prompt; None if it is the project's own."""
    return _texts.get().get(name)
