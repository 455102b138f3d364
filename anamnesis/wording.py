"""The prompts of a run that replace the project's own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_own: ContextVar[Mapping[str, str]] = ContextVar("anamnesis_wording", default={})  # noqa: B039


@contextmanager
def worded(texts: Mapping[str, str]) -> Iterator[None]:
    """Within the block, the prompts with these names have these texts."""
    token = _own.set(texts)
    try:
        yield
    finally:
        _own.reset(token)


def wording(name: str) -> str | None:
    """The text that the run uses for a prompt; None if it is the project's own."""
    return _own.get().get(name)
