"""Read and order the fused passages, and decide whether they answer the question [R4, H3, H5]."""

from langgraph.runtime import Runtime

from anamnesis.models.reader import OwnReader
from anamnesis.models.sentence_vectors import vectors_of
from nodes.context import Context, settings
from nodes.derived import evidence_passages, least_relevance
from nodes.evidence.ordering import as_read, ordered
from nodes.evidence.relevance import list_weights
from nodes.evidence.unused import insufficient, unread, unselected
from nodes.fields.passages import Dropped, ReadPassage, Selected
from nodes.parts import Parts
from nodes.question.several import is_open, question_states
from nodes.question.siblings import with_siblings
from nodes.routes import after_rerank
from nodes.state import State, Update
from retrievers.fusion import ensure_listed
from retrievers.methods import finds_facts, keeps_place


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts for the generator, best first, and the edge to take.

    If a message has several questions, the passages of each are selected separately; a draft is
    written if at least one of them has a passage that is relevant enough. ``dropped`` says of each
    passage that the generator does not get what dropped it.
    """
    context = settings(runtime)
    selected: list[Selected] = []
    read: list[ReadPassage] = []
    fresh: list[Selected] = []
    left: list[Dropped] = []
    for number, item in question_states(state):
        own_selected, own_read = item["selected"], item["read"]  # of an earlier round
        if is_open(state, number):
            own_selected, own_read, own_left = _selected_and_read(item, context, parts)
            left += own_left
            fresh += own_selected
        selected += own_selected
        read += own_read
    if state.get("sub_questions"):
        read.sort(key=lambda item: -item["relevance"])
    seen = {passage for earlier in state["rounds"] for passage in earlier["passages"]}
    repeats = bool(seen) and seen.issuperset(item["id"] for item in selected)
    least = least_relevance(
        state["keyed_options"],
        context,
        chat=parts.chat(context) is not None,
        part=bool(state.get("sub_questions")),
    )
    reason, route = after_rerank(
        max((entry["relevance"] for entry in fresh), default=None),
        least,
        new_passage=not (context.loop.stop_without_news and repeats),
        remembered=bool(state.get("user_quotes")),
    )
    if route["to"] == "fallback":
        left = [*insufficient(fresh, least, route["why"]), *left]
    update: Update = {"selected": selected, "read": read, "dropped": left, "route": route}
    return update | ({"reason": reason} if reason else {})


def _selected_and_read(
    state: State, context: Context, parts: Parts
) -> tuple[list[Selected], list[ReadPassage], list[Dropped]]:
    """The hits of one question that the generator gets, what was read, and what is not used.

    Facts are short, so all facts that were found are given to the generator with the passages.
    """
    index, most = parts.index(context), evidence_passages(context, parts.window(context))
    facts = {hit["id"] for hit in state["hits"] if finds_facts(hit["ranks"])}
    passages = [hit["id"] for hit in state["hits"] if hit["id"] not in facts]
    depth = max(most, context.retrieval.rerank_depth)
    to_read = facts.union(passages[:depth])
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
    sure = {hit["id"] for hit in hits if keeps_place(hit["ranks"])}
    if context.retrieval.rerank_by == "reranker":
        sure = set(ids)  # no place is kept for the dense list: the reranker alone decides [R4]
    kept = facts.union(ensure_listed(ids[:most], ids, sure, most))
    selected = [item for item in ranked if item["id"] in kept]
    options = state["keyed_options"]
    if isinstance(parts.reader(context), OwnReader) and not options:
        near = parts.find([item["id"] for item in selected], context)
        least = least_relevance(options, context, part=bool(state.get("sub_questions")))
        selected = with_siblings(selected, near, least, vectors_of(index.embedder))
    left = [*unselected(ranked, kept, most), *unread(state["hits"], to_read, depth)]
    return selected, [as_read(item) for item in ranked if item["id"] not in facts], left
