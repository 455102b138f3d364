"""Which of the hits are read, and which of those the generator gets."""

from collections.abc import Sequence
from typing import NamedTuple

from nodes.evidence.ordering import as_read, ordered
from nodes.evidence.relevance import list_weights
from nodes.evidence.unused import unread, unselected
from nodes.fields.passages import Dropped, ReadPassage, Selected
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.settings.derived import evidence_passages
from nodes.state import Round, State
from retrievers.fusion import ensure_listed
from retrievers.methods import finds_facts, guarantees_a_passage


class Selection(NamedTuple):
    """The hits for the generator (best first), the passages read, and the hits not used."""

    selected: list[Selected]
    read: list[ReadPassage]
    dropped: list[Dropped]


def read_and_select(state: State, context: Context, parts: Parts) -> Selection:
    """Read the first hits together with the question, and select the best passages and all facts.

    Facts are short, so all facts that were found are given to the generator with the passages.
    ``state`` is the view of the state for one question.
    """
    index, most = parts.index(context), evidence_passages(context, parts.window(context))
    facts = {hit["id"] for hit in state["hits"] if finds_facts(*hit["ranks"])}
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
    selected = ids[:most]
    # If the reranker alone decides [R4], no place is kept for the dense list.
    if context.retrieval.rerank_by != "reranker":
        guaranteed_ids = {hit["id"] for hit in hits if guarantees_a_passage(*hit["ranks"])}
        selected = ensure_listed(selected, ids, guaranteed_ids, most)
    kept = facts.union(selected)
    return Selection(
        [item for item in ranked if item["id"] in kept],
        [as_read(item) for item in ranked if item["id"] not in facts],
        [*unselected(ranked, kept, most), *unread(state["hits"], to_read, depth)],
    )


def finds_nothing_new(selected: Sequence[Selected], rounds: Sequence[Round]) -> bool:
    """Whether earlier rounds had all of these passages; False in the first round."""
    seen = {passage for earlier in rounds for passage in earlier["passages"]}
    return bool(seen) and seen.issuperset(item["id"] for item in selected)
