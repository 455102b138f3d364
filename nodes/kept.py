"""Whether the replies of models are kept for a run, and where: the operator's and the user's say.

Off unless ``ANAMNESIS_REPLIES`` says for how many days they are to be kept. Even then nothing is
kept but of a user who lets it: prompts and replies hold what was asked.
"""

import os

from langchain_core.caches import BaseCache
from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.context import Context, owner, settings
from nodes.parts import Parts
from nodes.state import State

SETTING = "ANAMNESIS_REPLIES"
"""The environment variable with the days that replies of models are kept; unset, they are not."""

_STEPS = ("generate", "verify", "rewrite")
"""Steps whose replies are kept. Others are asked for what users say of themselves, or in an
emergency, of which nothing is kept."""


def days() -> int | None:
    """The days that replies are kept; None where they are not. Raises SettingError for others."""
    told = os.environ.get(SETTING, "")
    if not told:
        return None
    if not told.isascii() or not told.isdigit() or not 1 <= int(told) <= 3650:
        raise SettingError(f"{SETTING} is {told!r}; set it to a number of days, from 1 to 3650")
    return int(told)


def kept_of(step: str, state: State, runtime: Runtime[Context], parts: Parts) -> BaseCache | None:
    """Where the replies to a step are kept; None where they are not.

    They are kept of a run that has a user who consents (``remember``).
    """
    if step not in _STEPS or (own := days()) is None:
        return None
    user, begun = owner(runtime), state.get("begun")
    if not user or not settings(runtime).remember or begun is None:
        return None
    from memory.reply_cache import Replies

    return Replies(parts.memory_folder(), user, begun, own)
