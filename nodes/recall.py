"""Look up what the user asked before [H1, H2]."""

import logging

from langgraph.runtime import Runtime

from memory.episodes import recall as recall_episodes
from models.embedding import load_embedder
from nodes.context import Context, owner, settings
from nodes.state import State, Update

_log = logging.getLogger(__name__)


def recall(state: State, runtime: Runtime[Context]) -> Update:
    """The user's earlier exchanges that are nearest to the question; none without a user.

    A failure to recall never costs the user the answer.
    """
    context, user = settings(runtime), owner(runtime)
    if not (context.memory and context.memories and user and runtime.store):
        return {"recalled": []}
    try:
        recalled = recall_episodes(
            runtime.store,
            user,
            state["queries"][0],
            load_embedder(),
            k=context.memories,
            threshold=context.memory_threshold,
        )
    except Exception:
        _log.warning("earlier exchanges could not be looked up", exc_info=True)
        recalled = []
    return {"recalled": recalled}
