"""Re-order the fused passages and decide whether they are evidence enough [R4, H3, H5]."""

from langgraph.runtime import Runtime

from nodes.context import Context, settings
from nodes.evidence import evidence_score
from nodes.parts import Parts
from nodes.routes import after_rerank
from nodes.state import Selected, State, Update
from retrievers.fusion import ensure_listed


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages that go to the generator, best first, and the edge to take."""
    context = settings(runtime)
    index, hits = parts.index(context), state["hits"]
    passages = index.passages([hit["id"] for hit in hits])
    reranker = parts.reranker(context)
    query = state["queries"][-1]
    scores: list[float | None] = (
        list(reranker.score(query, [(own.heading, own.text) for own in passages]))
        if reranker and passages
        else [None] * len(hits)
    )
    # The question as it was asked decides whether there is an answer; the words that later
    # rounds add to the query only decide what is searched for.
    fits = [
        evidence_score(state["queries"][0], own, index.sparse.idf, score)
        for own, score in zip(passages, scores, strict=True)
    ]
    by = fits if reranker and reranker.method == "similarity" else scores
    order = sorted(range(len(hits)), key=lambda place: -(by[place] or 0.0))
    ranked = [hits[place]["id"] for place in order]
    dense = {hit["id"] for hit in hits if "dense" in hit["ranks"]}
    kept = ensure_listed(
        ranked[: context.evidence_passages], ranked, dense, context.evidence_passages
    )
    place_of = {hit["id"]: place for place, hit in enumerate(hits)}
    selected: list[Selected] = [
        {
            **hits[place_of[own]],
            "rerank": scores[place_of[own]],
            "evidence": fits[place_of[own]],
        }
        for own in kept
    ]
    best = max((item["evidence"] for item in selected), default=None)
    reason, route = after_rerank(best, context.min_evidence)
    return {"selected": selected, "route": route} | ({"reason": reason} if reason else {})
