"""Ask the lists side by side and fuse them [R1–R3, H3, S2]."""

from langgraph.runtime import Runtime

from nodes.context import Context, settings
from nodes.parts import Parts
from nodes.state import State, Update
from retrievers.search import search


def retrieve(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages that fit the latest query, fused, each with its ranks and raw scores."""
    context = settings(runtime)
    hits = search(
        parts.index(context),
        state["queries"][-1],
        methods=context.methods,
        k=context.passages,
        candidates=context.candidates,
        rrf_k=context.rrf_k,
        weights=context.weights,
        reduce_query=context.reduce_query,
    )
    return {"hits": hits}
