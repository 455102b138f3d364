"""Replies of chat models stored on disk, so that a repeated evaluation does not ask again.

For evaluations only: the cache contains the prompts, so it must not be used for users' texts.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.globals import get_llm_cache, set_llm_cache
from langchain_core.outputs import Generation

from anamnesis.errors import SettingError
from anamnesis.models.caching import as_rows, of_rows
from evaluation.results import Journal

# Distinguishes a file of replies from a file of results; each is refused in place of the other.
_KIND = "replies of chat models"


class Replies(BaseCache):
    """Replies by model, settings and prompt, each written to disk at once.

    Raises SettingError if ``file`` is of another kind or cannot be written.
    """

    def __init__(self, file: Path) -> None:
        """Load the replies in ``file``."""
        self._rows = Journal(file, _KIND)

    def lookup(self, prompt: str, llm_string: str) -> list[Generation] | None:
        """The replies to a prompt; None if it is not in the file."""
        found = self._rows.get(_key(prompt, llm_string))
        return None if found is None else of_rows(found)

    def update(self, prompt: str, llm_string: str, return_val: Sequence[Generation]) -> None:
        """Store the replies to a prompt."""
        self._rows[_key(prompt, llm_string)] = as_rows(return_val)

    def clear(self, **_: Any) -> None:
        """Refused: the file is the user's to remove."""
        raise SettingError(f"{self._rows.file}: remove the file to ask again")

    def close(self) -> None:
        """Close the file."""
        self._rows.close()


@contextmanager
def replies_kept(file: Path) -> Iterator[None]:
    """Within the block, replies of chat models are stored in ``file`` and reused.

    Raises SettingError as ``Replies`` does.
    """
    cache, before = Replies(file), get_llm_cache()
    set_llm_cache(cache)
    try:
        yield
    finally:
        set_llm_cache(before)
        cache.close()


def _key(prompt: str, llm_string: str) -> str:
    return hashlib.sha256(f"{llm_string}\0{prompt}".encode()).hexdigest()
