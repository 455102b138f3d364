"""Read the fused passages, order them, and decide whether they answer the question [R4, H3, H5]."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from corpus.passage import Passage
from models.reader import OwnReader
from models.reranker import Reranker
from nodes.context import Context, settings
from nodes.derived import comparable, evidence_passages, least_relevance
from nodes.evidence import Read, Selected, blended, relevance, together
from nodes.parts import Parts
from nodes.routes import after_rerank
from nodes.state import State, Update
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
        parts.reader(context),
        # The question as it was asked decides whether there is an answer; the words that later
        # rounds add to the query only decide what is searched for.
        state["queries"][0],
        comparable(index, context),
        fused_order=context.reranker is None,
    )
    dense = {hit["id"] for hit in hits if "dense" in hit["ranks"]}
    facts = {hit["id"] for hit in hits if "facts" in hit["ranks"]}
    ids = [item["id"] for item in ranked if item["id"] not in facts]
    most = evidence_passages(context, parts.window(context))
    passages = ensure_listed(ids[:most], ids, dense, most)
    kept = facts.union(passages)
    selected = [item for item in ranked if item["id"] in kept]
    best = max((item["relevance"] for item in selected), default=None)
    seen = {passage for earlier in state["rounds"] for passage in earlier["passages"]}
    news = not context.stop_without_news or not seen.issuperset(kept)
    least = least_relevance(state["choices"], context, parts.chat(context) is not None)
    reason, route = after_rerank(best, least, news or not seen)
    read = [_read(item) for item in ranked if item["id"] not in facts]
    update: Update = {"selected": selected, "read": read, "route": route}
    return update | ({"reason": reason} if reason else {})


def _read(item: Selected) -> Read:
    """What is kept of every passage that was read."""
    start, end, _ = max(item["sentences"], key=lambda own: own[2], default=[0, 0, 0.0])
    return {
        "id": item["id"],
        "relevance": item["relevance"],
        "start": int(start),
        "end": int(end),
    }


def ordered(
    hits: Sequence[Hit],
    passages: Sequence[Passage],
    reader: Reranker,
    question: str,
    comparable: bool,
    fused_order: bool = False,
) -> list[Selected]:
    """The fused passages with what the reader says of each, best first, or in ``fused_order``.

    Where the project's reader reads, and fused scores are ``comparable``
    (``nodes.derived.comparable``), both have a say in order and relevance. Elsewhere the relevance
    is the reader's alone, and blended with the fused score it gives the order.
    """
    readings = reader.read(question, [(each.heading, each.text) for each in passages])
    most = max((hit["score"] for hit in hits), default=0.0)
    own = isinstance(reader, OwnReader)
    both = own and comparable
    items: list[tuple[float, Selected]] = []
    for hit, reading in zip(hits, readings, strict=True):
        fused = hit["score"] / most if most > 0 else 0.0
        by = together(reading, hit["score"]) if both else blended(reading.relevance, fused)
        chance = reading.relevance
        if own:
            chance = relevance(reading, hit["score"] if both else None)
        item: Selected = {
            **hit,
            "relevance": round(chance, 4),
            "sentences": [[start, end, round(said, 3)] for start, end, said in reading.sentences],
            "polar": reading.polar,
        }
        items.append((0.0 if fused_order else by, item))
    return [item for _, item in sorted(items, key=lambda pair: -pair[0])]
