"""Recall memories that the user consented to keep [H1, H2, M3]."""

import logging

from langgraph.runtime import Runtime

from anamnesis.errors import AnamnesisError
from nodes.fields.recalled import state_of_memory
from nodes.parts import Parts
from nodes.remembering.experts import notices_of_decisions
from nodes.remembering.outdated import verify_again
from nodes.remembering.own_words import quotes_of_user
from nodes.remembering.readable import nearest_memories
from nodes.remembering.recallable import current, memories_to_recall
from nodes.settings.context import Context, audience, owner, settings
from nodes.state import State, Update

_log = logging.getLogger(__name__)


def recall(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The user's memories that are near the question; none without a user.

    If recalling fails, the user still gets an answer.
    """
    context, user = settings(runtime), owner(runtime)
    if not (context.memory.recall and user):
        return {"recalled": []}
    update: Update = {"recalled": [], "user_quotes": [], "notices": []}
    if not context.memory.recalled_kinds:
        return update
    question, unverified = state["queries"][0], set[str]()
    try:
        restricted = parts.restricted(context)
        if context.memory.verify_again and not restricted:
            update["notices"], unverified = verify_again(user, context, parts)
        update["notices"] = [*update["notices"], *notices_of_decisions(user, parts)]
        found = nearest_memories(
            question, user, audience(runtime), context, parts, restricted=restricted
        )
        near = current(found, unverified, context)
        if context.memory.quote_user and not state["keyed_options"]:
            update["user_quotes"] = quotes_of_user(
                question, near, lambda: parts.memories().all(user, "profile")
            )
        update["recalled"] = [state_of_memory(one) for one in memories_to_recall(near, context)]
    except AnamnesisError as error:
        _log.warning("memories could not be searched: %s", error)
    except Exception:
        _log.warning("memories could not be searched", exc_info=True)
    return update
