"""Look up what the user asked before [H1, H2]."""

from langgraph.runtime import Runtime

from memory.episodes import recall as recall_episodes
from models.embedding import load_embedder
from nodes.context import Context, owner, settings
from nodes.state import State, Update


def recall(state: State, runtime: Runtime[Context]) -> Update:
    """The user's earlier exchanges that are nearest to the question; none without a user."""
    context, user = settings(runtime), owner(runtime)
    if not (context.memory and context.memories and user and runtime.store):
        return {"recalled": []}
    return {
        "recalled": recall_episodes(
            runtime.store,
            user,
            state["queries"][0],
            load_embedder(),
            k=context.memories,
            threshold=context.memory_threshold,
        )
    }
