"""Whether and where model replies are cached for a run, as the operator and the user decide.

Off unless ``ANAMNESIS_REPLY_CACHE_DAYS`` sets a number of days. Even then replies are cached
only for users who consent, because prompts and replies reveal what was asked.
"""

import os

from langchain_core.caches import BaseCache
from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.parts import Parts
from nodes.settings.context import Context, owner, settings
from nodes.state import State

SETTING = "ANAMNESIS_REPLY_CACHE_DAYS"
"""Environment variable with the days for which model replies are cached; unset: none are."""

CACHED_STEPS = ("generate", "verify", "rewrite")
"""Steps whose replies are cached. Replies of other steps are about what users say of themselves and
are never cached; nor are replies to a message that is or may be an emergency.
"""


def days() -> int | None:
    """The days for which replies are cached; None if off. Raises SettingError if invalid."""
    value = os.environ.get(SETTING, "")
    if not value:
        return None
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 3650:
        raise SettingError(f"{SETTING} is {value!r}; set it to a number of days, from 1 to 3650")
    return int(value)


def reply_cache_of(
    step: str, state: State, runtime: Runtime[Context], parts: Parts
) -> BaseCache | None:
    """The cache for the replies that a step gets from models; None if they are not cached.

    Replies are cached only in runs of a user who consents (``remember``).
    """
    if step not in CACHED_STEPS or state["urgency"]["kind"] or (days_kept := days()) is None:
        return None
    user, requested_at = owner(runtime), state.get("requested_at")
    if not user or not settings(runtime).memory.consent or requested_at is None:
        return None
    from anamnesis.memory.reply_cache import Replies

    return Replies(parts.memory_folder(), user, requested_at, days_kept)
