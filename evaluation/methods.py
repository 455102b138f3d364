"""The application's methods of retrieval, as rankings of documents.

An index splits long texts into passages. A document has the rank of its best passage.
"""

from collections.abc import Callable, Sequence

from anamnesis.errors import SettingError
from anamnesis.models.reranker import Reranker, load_reranker
from evaluation.metrics import CUT
from nodes.evidence import by_method
from nodes.evidence.by_method import found_by
from nodes.settings.context import Context
from retrievers.corpus import Corpus
from retrievers.methods import FURTHER, HYBRID, RERANKED, of_passages
from retrievers.search import Hit

Ranker = Callable[[str], Sequence[str]]


def rankers(
    index: Corpus, names: Sequence[str], reranker: str, context: Context
) -> dict[str, Ranker]:
    """For each method's name, a function from a query to document ids, best first.

    ``reranker`` is the reference of the model for ``reranked``, loaded only if needed.

    Raises SettingError if a name is not in ``methods()``, or as ``load_reranker`` does.
    """
    return {name: _ranker(index, name, reranker, context) for name in check_methods(names)}


def methods() -> list[str]:
    """The names of all methods: the lists of passages, and these fused and re-ordered."""
    return [*of_passages(), *FURTHER]


def check_methods(names: Sequence[str]) -> list[str]:
    """The names without duplicates. Raises SettingError if there is none or one is unknown."""
    wrong = [name for name in names if name not in methods()]
    if wrong or not names:
        raise SettingError(
            f"there is no method {', '.join(map(repr, wrong)) or 'given'}; "
            f"name one or more of {', '.join(methods())}, with commas between them"
        )
    return list(dict.fromkeys(names))


def hybrid(index: Corpus, query: str, context: Context) -> list[Hit]:
    """The passages of both lists, fused as in the graph [R3, H3].

    The graph continues with the first ``retrieval.rerank_depth`` of them. Here the list is read to
    its end, because several passages can be from one document.
    """
    most = context.retrieval.candidates * len(context.retrieval.methods)
    return found_by(HYBRID, index, query, most, context)


def reranked(index: Corpus, query: str, context: Context, reranker: Reranker) -> list[Hit]:
    """The fused passages, the first ``retrieval.rerank_depth`` re-ordered as in the graph [R4]."""
    hits, depth = hybrid(index, query, context), context.retrieval.rerank_depth
    return [*by_method.reranked(hits[:depth], index, query, context, reranker), *hits[depth:]]


def documents(hits: Sequence[Hit]) -> list[str]:
    """The documents of the passages, each at the rank of its best passage."""
    return list(dict.fromkeys(hit["record_id"] for hit in hits))


def _ranker(index: Corpus, name: str, reranker: str, context: Context) -> Ranker:
    if name == RERANKED:
        model = load_reranker(reranker)
        return lambda query: documents(reranked(index, query, context, model))
    if name == HYBRID:
        return lambda query: documents(hybrid(index, query, context))
    as_written = context.changed({"retrieval.reduce_query": False})
    return lambda query: _single_list(index, query, name, as_written)


def _single_list(index: Corpus, query: str, method: str, context: Context) -> list[str]:
    """The documents of one list, at least eleven if it has them: one may be left out."""
    k = 3 * CUT
    while True:
        hits = found_by(method, index, query, k, context)
        found = documents(hits)
        if len(found) > CUT or len(hits) < k:
            return found
        k *= 4
