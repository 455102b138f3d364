"""Read and order the fused passages, and decide whether they answer the question [R4, H3, H5]."""

from langgraph.runtime import Runtime

from anamnesis.models.reader import OwnReader
from anamnesis.models.sentence_vectors import vectors_of
from nodes.context import Context, settings
from nodes.evidence.ordering import ordered
from nodes.evidence.relevance import ReadPassage, Selected, list_weights
from nodes.parts import Parts
from nodes.question.several import is_open, question_states
from nodes.question.siblings import with_siblings
from nodes.routes import after_rerank
from nodes.settings.derived import evidence_passages, least_relevance
from nodes.state import State, Update
from retrievers.fusion import ensure_listed
from retrievers.methods import finds_facts


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts for the generator, best first, and the edge to take.

    If a message has several questions, the passages of each are selected separately; a draft is
    written if at least one of them has a passage that is relevant enough.
    """
    context = settings(runtime)
    selected: list[Selected] = []
    read: list[ReadPassage] = []
    relevances: list[float] = []
    for number, item in question_states(state):
        own_selected, own_read = item["selected"], item["read"]  # of an earlier round
        if is_open(state, number):
            own_selected, own_read = _selected_and_read(item, context, parts)
            relevances += [entry["relevance"] for entry in own_selected]
        selected += own_selected
        read += own_read
    if state.get("asks"):
        read.sort(key=lambda item: -item["relevance"])
    seen = {passage for earlier in state["rounds"] for passage in earlier["passages"]}
    repeats = bool(seen) and seen.issuperset(item["id"] for item in selected)
    reason, route = after_rerank(
        max(relevances, default=None),
        least_relevance(
            state["choices"],
            context,
            chat=parts.chat(context) is not None,
            part=bool(state.get("asks")),
        ),
        new_passage=not (context.loop.stop_without_news and repeats),
        remembered=bool(state.get("said")),
    )
    update: Update = {"selected": selected, "read": read, "route": route}
    return update | ({"reason": reason} if reason else {})


def _selected_and_read(
    state: State, context: Context, parts: Parts
) -> tuple[list[Selected], list[ReadPassage]]:
    """The hits of one question that the generator gets, and the passages that were read.

    Facts are short, so all facts that were found are given to the generator with the passages.
    """
    index, most = parts.index(context), evidence_passages(context, parts.window(context))
    facts = {hit["id"] for hit in state["hits"] if finds_facts(hit["ranks"])}
    passages = [hit["id"] for hit in state["hits"] if hit["id"] not in facts]
    to_read = facts.union(passages[: max(most, context.retrieval.rerank_depth)])
    hits = [hit for hit in state["hits"] if hit["id"] in to_read]
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
    ids = [item["id"] for item in ranked if item["id"] not in facts]
    dense = {hit["id"] for hit in hits if "dense" in hit["ranks"]}
    if context.retrieval.rerank_by == "reranker":
        dense = set(ids)  # no place is kept for the dense list: the reranker alone decides [R4]
    kept = facts.union(ensure_listed(ids[:most], ids, dense, most))
    selected = [item for item in ranked if item["id"] in kept]
    if isinstance(parts.reader(context), OwnReader) and not state["choices"]:
        near = parts.find([item["id"] for item in selected], context)
        least = least_relevance(state["choices"], context, part=bool(state.get("asks")))
        selected = with_siblings(selected, near, least, vectors_of(index.embedder))
    return selected, [_as_read(item) for item in ranked if item["id"] not in facts]


def _as_read(item: Selected) -> ReadPassage:
    """What the state keeps of a passage that was read: its relevance and its nearest sentence."""
    start, end, _ = max(item["sentences"], key=lambda entry: entry[2], default=[0, 0, 0.0])
    first, last = int(start), int(end)
    read = ReadPassage(id=item["id"], relevance=item["relevance"], start=first, end=last)
    if item["polar"]:
        read["polar"] = item["polar"]
    return {**read, "part": item["part"]} if "part" in item else read
