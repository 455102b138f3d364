"""Re-order the fused passages and decide whether they are evidence enough [R4, H3, H5]."""

from collections.abc import Callable, Sequence

from langgraph.runtime import Runtime

from corpus.passage import Passage
from models.reranker import Reranker
from nodes.context import Context, least_evidence, settings
from nodes.evidence import blended, evidence_score
from nodes.parts import Parts
from nodes.routes import after_rerank
from nodes.state import Selected, State, Update
from retrievers.fusion import ensure_listed
from retrievers.search import Hit


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts that go to the generator, best first, and the edge to take.

    Facts are short: all that were found go beside the passages.
    """
    context = settings(runtime)
    index, hits = parts.index(context), state["hits"]
    ranked = ordered(
        hits,
        index.passages([hit["id"] for hit in hits]),
        parts.reranker(context),
        index.sparse.idf,
        query=state["queries"][-1],
        # The question as it was asked decides whether there is an answer; the words that later
        # rounds add to the query only decide what is searched for.
        question=state["queries"][0],
    )
    dense = {hit["id"] for hit in hits if "dense" in hit["ranks"]}
    facts = {hit["id"] for hit in hits if "facts" in hit["ranks"]}
    ids = [item["id"] for item in ranked if item["id"] not in facts]
    passages = ensure_listed(
        ids[: context.evidence_passages], ids, dense, context.evidence_passages
    )
    kept = facts.union(passages)
    selected = [item for item in ranked if item["id"] in kept]
    best = max((item["evidence"] for item in selected), default=None)
    seen = {passage for earlier in state["rounds"] for passage in earlier["passages"]}
    news = not context.stop_without_news or not seen.issuperset(kept)
    least = least_evidence(state["choices"], context)
    reason, route = after_rerank(best, least, news or not seen)
    return {"selected": selected, "route": route} | ({"reason": reason} if reason else {})


def ordered(
    hits: Sequence[Hit],
    passages: Sequence[Passage],
    reranker: Reranker | None,
    idf: Callable[[str], float],
    *,
    query: str,
    question: str,
) -> list[Selected]:
    """The fused passages, best first, each with the reranker's score and its evidence score.

    Without a reranker the fused order stays; a similarity reranker orders by the evidence score,
    a cross-encoder by its own score blended with the fused one.
    """
    scores: Sequence[float | None] = [None] * len(hits)
    if reranker and passages:
        scores = reranker.score(query, [(own.heading, own.text) for own in passages])
    most = max((hit["score"] for hit in hits), default=0.0)
    items: list[tuple[float, Selected]] = []
    for hit, own, score in zip(hits, passages, scores, strict=True):
        fit = evidence_score(question, own, idf, score)
        if reranker is None or score is None:
            by = 0.0
        elif reranker.method == "similarity":
            by = fit
        else:
            by = blended(score, hit["score"] / most if most > 0 else 0.0)
        items.append((by, {**hit, "rerank": score, "evidence": fit}))
    return [item for _, item in sorted(items, key=lambda pair: -pair[0])]
