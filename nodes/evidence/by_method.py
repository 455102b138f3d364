"""The passages that a method of retrieval finds: a single list, all lists fused, or re-ranked."""

from collections.abc import Sequence

from anamnesis.models.reranker import Reranker
from nodes.evidence.ordering import ordered
from nodes.evidence.relevance import list_weights
from nodes.fields.passages import Selected
from nodes.settings.context import Context
from nodes.settings.derived import search_settings
from retrievers.corpus import Corpus
from retrievers.methods import HYBRID, LIBRARY, RERANKED, SPARSE
from retrievers.search import Hit, search


def found_by(
    method: str, index: Corpus, question: str, k: int, context: Context, facts_k: int = 8
) -> list[Hit]:
    """The best ``k`` passages of a method before re-ranking, best first.

    ``method`` is a name of ``RETRIEVERS`` or ``FURTHER``. A list is searched alone; for hybrid and
    re-ranked, those of the settings are fused [R3, H3]. A list of facts has ``facts_k`` of them.
    """
    of_method = settings_of(method, context)
    return search(index, question, k=k, facts_k=facts_k, **search_settings(of_method))


def settings_of(method: str, context: Context) -> Context:
    """The settings with which a method is searched: those of the context, for its lists alone."""
    if method in (HYBRID, RERANKED):
        return context
    library = {"retrieval.bm25": method} if method == LIBRARY else {}
    alone = {"retrieval.methods": (SPARSE if library else method,), "retrieval.weights": None}
    return context.changed({**alone, **library})


def reranked(
    hits: Sequence[Hit], index: Corpus, question: str, context: Context, reader: Reranker
) -> list[Selected]:
    """The fused passages in the order of ``reader`` and lists, as in the graph [R4]."""
    return ordered(
        hits,
        index.passages([hit["id"] for hit in hits]),
        reader,
        question,
        list_weights(index, context),
        alone=context.retrieval.rerank_by == "reranker",
    )
