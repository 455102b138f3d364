"""The prompts of a run that replace the project's own."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar

from anamnesis.within import within

_own: ContextVar[Mapping[str, str]] = ContextVar("anamnesis_wording", default={})  # noqa: B039


def worded(texts: Mapping[str, str]) -> AbstractContextManager[None]:
    """Within the block, the prompts with these names have these texts."""
    return within(_own, texts)


def wording(name: str) -> str | None:
    """The text that the run uses for a prompt; None if it is the project's own."""
    return _own.get().get(name)
