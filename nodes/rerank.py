"""Read and order the fused passages, and decide whether they answer the question [R4, H3, H5]."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from anamnesis.corpus.passage import Passage
from anamnesis.models.reader import OwnReader
from anamnesis.models.reranker import Reranker
from anamnesis.models.sentence_vectors import vectors_of
from nodes.context import Context, settings
from nodes.evidence.relevance import (
    WITHOUT_COSINE,
    Read,
    Selected,
    Weights,
    blended,
    found_by,
    list_weights,
    relevance,
    together,
)
from nodes.parts import Parts
from nodes.question.several import each, is_open
from nodes.question.siblings import with_siblings
from nodes.routes import after_rerank
from nodes.settings.derived import evidence_passages, least_relevance
from nodes.state import State, Update
from retrievers.fusion import ensure_listed
from retrievers.search import Hit


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts for the generator, best first, and the edge to take.

    If a message has several questions, the passages of each are chosen separately; the run
    continues if at least one has an answer.
    """
    context = settings(runtime)
    selected: list[Selected] = []
    read: list[Read] = []
    best: float | None = None
    for number, entry in each(state):
        if not is_open(state, number):
            selected += entry["selected"]
            read += entry["read"]
            continue
        chosen, others = _chosen(entry, context, parts)
        selected += chosen
        read += others
        best = max(
            [entry["relevance"] for entry in chosen] + ([] if best is None else [best]),
            default=best,
        )
    if state.get("asks"):
        read.sort(key=lambda item: -item["relevance"])
    kept = {item["id"] for item in selected}
    seen = {passage for earlier in state["rounds"] for passage in earlier["passages"]}
    news = not context.loop.stop_without_news or not seen.issuperset(kept)
    least = least_relevance(state["choices"], context, parts.chat(context) is not None)
    reason, route = after_rerank(best, least, news or not seen, bool(state.get("said")))
    update: Update = {"selected": selected, "read": read, "route": route}
    return update | ({"reason": reason} if reason else {})


def _chosen(state: State, context: Context, parts: Parts) -> tuple[list[Selected], list[Read]]:
    """The hits of a question for the generator, and every passage that was read.

    Facts are short, so all that were found are given to the generator with the passages.
    """
    index, hits = parts.index(context), state["hits"]
    ranked = ordered(
        hits,
        parts.passages([hit["id"] for hit in hits], context),
        parts.reader(context),
        # The original question decides whether there is an answer; the words that later rounds add
        # to the query affect only the search.
        state["queries"][0],
        list_weights(index, context),
        fused_order=context.retrieval.reranker is None,
        alone=context.retrieval.rerank_by == "reranker",
    )
    dense = {hit["id"] for hit in hits if "dense" in hit["ranks"]}
    facts = {hit["id"] for hit in hits if "facts" in hit["ranks"]}
    ids = [item["id"] for item in ranked if item["id"] not in facts]
    most = evidence_passages(context, parts.window(context))
    passages = ensure_listed(ids[:most], ids, dense, most)
    kept = facts.union(passages)
    selected = [item for item in ranked if item["id"] in kept]
    if isinstance(parts.reader(context), OwnReader) and not state["choices"]:
        near = parts.find([item["id"] for item in selected], context)
        least = least_relevance(state["choices"], context)
        selected = with_siblings(selected, near, least, vectors_of(index.embedder))
    return selected, [_read(item) for item in ranked if item["id"] not in facts]


def _read(item: Selected) -> Read:
    """The record of every passage that was read."""
    start, end, _ = max(item["sentences"], key=lambda entry: entry[2], default=[0, 0, 0.0])
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
    weights: Weights | None,
    fused_order: bool = False,
    alone: bool = False,
) -> list[Selected]:
    """The fused passages with the reader's results, best first, or in ``fused_order``.

    With ``alone`` the order is that of the reader's score [R4]. Otherwise, with the project's
    reader and ``weights`` (``nodes.evidence.relevance.list_weights``), order and relevance combine
    reader and lists; without them, the relevance is the reader's, and the order combines it with
    the fused score.
    """
    readings = reader.read(question, [(each.heading, each.text) for each in passages])
    most = max((hit["score"] for hit in hits), default=0.0)
    own = isinstance(reader, OwnReader)
    both = weights if own else None
    items: list[tuple[float, Selected]] = []
    listed = found_by(hits, both or WITHOUT_COSINE)
    for hit, found, reading in zip(hits, listed, readings, strict=True):
        fused = hit["score"] / most if most > 0 else 0.0
        by = together(reading, found, both) if both else blended(reading.relevance, fused)
        by = reading.relevance if alone else by
        chance = reading.relevance
        if own:
            chance = relevance(reading, found, both) if both else relevance(reading, None)
        read: Selected = {
            "id": hit["id"],
            "record_id": hit["record_id"],
            "score": hit["score"],
            "ranks": hit["ranks"],
            "scores": hit["scores"],
            "relevance": round(chance, 4),
            "sentences": [[start, end, round(said, 3)] for start, end, said in reading.sentences],
            "polar": reading.polar,
        }
        if "part" in hit:
            read["part"] = hit["part"]
        items.append((0.0 if fused_order else by, read))
    return [item for _, item in sorted(items, key=lambda pair: -pair[0])]
