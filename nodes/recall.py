"""Recall what the user let it remember [H1, H2, M3]."""

import logging

from langgraph.runtime import Runtime

from memory.choosing import Chosen, choose
from memory.record import now
from memory.scores import RANKINGS
from nodes.context import Context, audience, owner, settings
from nodes.parts import Parts
from nodes.state import Memory, State, Update

_log = logging.getLogger(__name__)


def recall(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The user's memories that fit the question; none without a user.

    A failure to recall never costs the user the answer.
    """
    context, user = settings(runtime), owner(runtime)
    if not (context.memory and context.memory_kinds and user):
        return {"recalled": []}
    try:
        found = parts.memories().nearest(
            user, state["queries"][0], context.memory_kinds, audience=audience(runtime)
        )
        chosen = choose(
            found,
            now(),
            weights=RANKINGS[context.memory_ranking],
            threshold=context.memory_threshold,
            exchanges=context.memories,
            literal=context.memory_formula == "printed",
        )
    except Exception:
        _log.warning("memories could not be looked up", exc_info=True)
        chosen = []
    return {"recalled": [_told(one) for one in chosen]}


def _told(one: Chosen) -> Memory:
    memory = one.found.memory
    return {
        "id": memory.id,
        "kind": memory.kind,
        "scope": memory.scope,
        "text": memory.text,
        "created": memory.created.isoformat(),
        "score": one.explain(),
    }
