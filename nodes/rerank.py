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
from nodes.several import each
from nodes.state import State, Update
from retrievers.fusion import ensure_listed
from retrievers.search import Hit


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts that go to the generator, best first, and the edge to take.

    The passages of each question of a message that has several are chosen by themselves: one that
    has an answer goes on.
    """
    context = settings(runtime)
    selected: list[Selected] = []
    read: list[Read] = []
    for _, own in each(state):
        chosen, others = _chosen(own, context, parts)
        selected += chosen
        read += others
    if state.get("asks"):
        read.sort(key=lambda item: -item["relevance"])
    best = max((item["relevance"] for item in selected), default=None)
    kept = {item["id"] for item in selected}
    seen = {passage for earlier in state["rounds"] for passage in earlier["passages"]}
    news = not context.stop_without_news or not seen.issuperset(kept)
    least = least_relevance(state["choices"], context, parts.chat(context) is not None)
    reason, route = after_rerank(best, least, news or not seen)
    update: Update = {"selected": selected, "read": read, "route": route}
    return update | ({"reason": reason} if reason else {})


def _chosen(state: State, context: Context, parts: Parts) -> tuple[list[Selected], list[Read]]:
    """What of a question's hits goes to the generator, and every passage that was read.

    Facts are short: all that were found go beside the passages.
    """
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
        alone=context.rerank_by == "reranker",
    )
    dense = {hit["id"] for hit in hits if "dense" in hit["ranks"]}
    facts = {hit["id"] for hit in hits if "facts" in hit["ranks"]}
    ids = [item["id"] for item in ranked if item["id"] not in facts]
    most = evidence_passages(context, parts.window(context))
    passages = ensure_listed(ids[:most], ids, dense, most)
    kept = facts.union(passages)
    selected = [item for item in ranked if item["id"] in kept]
    return selected, [_read(item) for item in ranked if item["id"] not in facts]


def _read(item: Selected) -> Read:
    """What is kept of every passage that was read."""
    start, end, _ = max(item["sentences"], key=lambda own: own[2], default=[0, 0, 0.0])
    read: Read = {
        "id": item["id"],
        "relevance": item["relevance"],
        "start": int(start),
        "end": int(end),
    }
    if "part" in item:
        read["part"] = item["part"]
    return read


def ordered(
    hits: Sequence[Hit],
    passages: Sequence[Passage],
    reader: Reranker,
    question: str,
    comparable: bool,
    fused_order: bool = False,
    alone: bool = False,
) -> list[Selected]:
    """The fused passages with what the reader says of each, best first, or in ``fused_order``.

    With ``alone`` the reader's score is the order, whatever the lists say [R4]. Else:
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
        by = reading.relevance if alone else by
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
