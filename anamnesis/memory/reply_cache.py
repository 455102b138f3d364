"""The cached replies of a user, as a LangChain cache."""

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.caches import BaseCache
from langchain_core.outputs import Generation

from anamnesis import AnamnesisError
from anamnesis.memory import replies
from anamnesis.memory.database import Database
from anamnesis.models.caching import as_rows, key_of, of_rows

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class Replies(BaseCache):
    """The cached replies of one user, for one run.

    ``requested_at`` is the time of the run's request, in Unix seconds: nothing is stored for a run
    that was requested before a deletion. A reply expires after ``days``. If the file cannot be
    used, this is logged, and the model is called.
    """

    def __init__(self, folder: Path, owner: str, requested_at: float, days: int) -> None:
        self._database = Database(folder)
        self._owner, self._requested_at, self._days = owner, requested_at, days

    def lookup(self, prompt: str, llm_string: str) -> list[Generation] | None:
        """The cached replies to a prompt, or None."""
        key = key_of(self._owner, llm_string, prompt)

        def found() -> list[Generation] | None:
            kept = replies.find(self._database, key)
            return None if kept is None else of_rows(json.loads(kept))

        return self._or_none(found)

    def update(self, prompt: str, llm_string: str, return_val: Sequence[Generation]) -> None:
        """Cache the replies to a prompt."""
        key = key_of(self._owner, llm_string, prompt)

        def keep() -> None:
            # A provider's metadata on a reply may not be JSON.
            reply = json.dumps(as_rows(return_val), ensure_ascii=False)
            replies.keep(self._database, self._owner, key, reply, self._requested_at, self._days)

        self._or_none(keep)

    def clear(self, **_: Any) -> None:
        """Delete all cached replies of the user."""
        replies.forget_replies(self._database.folder, self._owner)

    def _or_none(self, call: Callable[[], _T]) -> _T | None:
        try:
            return call()
        except (AnamnesisError, TypeError, ValueError, KeyError) as error:
            _log.warning("replies of models are not kept: %s", error)
            return None
