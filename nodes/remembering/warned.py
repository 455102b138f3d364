"""What a user says of their own health: kept as their profile, and held against the answer."""

import logging
from collections.abc import Sequence

from langchain_core.messages import HumanMessage

from anamnesis.errors import AnamnesisError
from anamnesis.memory.profile import Entry, entry, latest
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import LONGEST, Memory, now
from anamnesis.memory.retention import expired
from nodes.checking.fact_warning import fact_warnings
from nodes.checking.warning import warnings
from nodes.context import Context
from nodes.parts import Parts
from nodes.state import Answer, State, Statement

UNREAD = "Your profile could not be read, so this answer was not checked against it."
UNREAD_FACTS = "The facts of the index could not be compared with your profile."
_log = logging.getLogger(__name__)


def warned(state: State, user: str | None, context: Context, parts: Parts) -> Answer:
    """The answer, with a warning at each statement that the user's profile speaks against.

    The profile is what is kept of the user, and what they say of themselves in this thread. If
    what is kept cannot be read, a note says so. The text is still to be rendered.
    """
    answer = state["answer"]
    off = not context.memory.warnings or state["reason"] == "remembered"
    if off or not answer["statements"]:
        return answer
    unread = False
    kept: list[Entry] = []
    try:
        if user and context.memory.recall:
            days = context.memory.max_age_days
            found = parts.memories().all(user, "profile")
            kept = entries([own for own in found if not expired(own, now(), days)])
    except AnamnesisError as error:
        unread = True
        _log.warning("the profile could not be read: %s", error)
    except Exception:
        unread = True
        _log.warning("the profile could not be read", exc_info=True)
    profile = latest([*read_profile(state["asked"]), *_said_before(state), *kept])
    today = now()
    found_here = [warnings(own["text"], profile, today) for own in answer["statements"]]
    notes = [UNREAD] if unread else []
    # An emergency is answered without an index.
    if profile and answer["outcome"] != "urgent":
        try:
            for own, there in zip(answer["statements"], found_here, strict=True):
                named = {one["entry"] for one in there}
                others = [one for one in profile if one.text not in named]
                there += fact_warnings(own["text"], others, parts.index(context))
        except Exception:
            notes.append(UNREAD_FACTS)
            _log.warning("the facts could not be compared with the profile", exc_info=True)
    pairs = zip(answer["statements"], found_here, strict=True)
    statements: list[Statement] = [{**own, "warnings": w} if w else own for own, w in pairs]
    return {**answer, "statements": statements, "notes": [*answer["notes"], *notes]}


def entries(memories: Sequence[Memory]) -> list[Entry]:
    """The entries of a profile that count, from the memories that hold them, the newest first.

    What its owner has rated as wrong does not count.
    """
    right = (own for own in memories if own.kind == "profile" and own.rating != "bad")
    return latest([entry(own.text, own.words, own.created) for own in right])


def own_profile(user: str, said: str) -> list[Memory]:
    """The memories to keep of what a user says of their own health, with their words as source."""
    return [
        Memory.make(owner=user, kind="profile", text=own.text, words=own.words[:LONGEST])
        for own in read_profile(said)
    ]


def _said_before(state: State) -> list[Entry]:
    """What the user has said of themselves in the thread, the latest first."""
    own = [message for message in state.get("messages") or [] if isinstance(message, HumanMessage)]
    return [found for message in reversed(own) for found in read_profile(message.text)]
