"""The passages found for a question by one method of retrieval, without the graph."""

from typing import TYPE_CHECKING, Any

from anamnesis import SettingError
from anamnesis.corpus.record import SHOWN
from nodes.question.sizes import check_question
from retrievers.corpus import Corpus
from retrievers.methods import DEFAULT_METHODS, LIBRARY, RERANKED, RETRIEVERS, SPARSE
from retrievers.search import search

if TYPE_CHECKING:  # slow to import, and not needed for the names
    from nodes.settings.context import Context


def best_passages(
    index: Corpus,
    question: str,
    way: str,
    k: int,
    reranker: str | None = None,
    *,
    as_fused: bool = False,
    settings: "Context | None" = None,
) -> list[dict[str, Any]]:
    """The best ``k`` passages for the question by a method of retrieval, each with its text.

    Each has the keys of a ``Hit``, those of its passage (title, question, text, source, url) and,
    if re-ranked, ``relevance`` and the reader's other values. A single list is searched with the
    question as written or, with ``as_fused``, with the query used for fusion. ``settings``
    determine how lists are searched, fused and re-ranked; None: the default settings.

    Raises SettingError for an invalid ``k`` or reranker, or if the question is too long.
    """
    check_question(question)
    if k < 1:
        raise SettingError(f"--k must be 1 or more, not {k}")
    library = {"retrieval.bm25": way} if way == LIBRARY else {}
    alone = SPARSE if library else way
    methods = (alone,) if alone in RETRIEVERS else DEFAULT_METHODS
    depth = max(k, 10) if way == RERANKED else k
    better = as_fused or len(methods) > 1
    # Imported here because it is slow and not needed for the names.
    from nodes.evidence.relevance import list_weights
    from nodes.settings.context import Context
    from nodes.settings.derived import search_settings

    base = settings or Context.model_validate({})
    as_written = (
        {} if better else {"retrieval.reduce_query": False, "retrieval.query_adapter": False}
    )
    context = base.changed({"retrieval.methods": methods, **as_written, **library})
    listed = search(index, question, k=depth, facts_k=k, **search_settings(context))
    passages = index.passages([hit["id"] for hit in listed])
    hits: list[dict[str, Any]] = [dict(hit) for hit in listed]
    if way == RERANKED:
        from anamnesis.models.reranker import DEFAULT_RERANKER, load_reranker
        from nodes.evidence.ordering import ordered

        model = load_reranker(reranker or DEFAULT_RERANKER)
        ranked = ordered(
            listed, passages, model, question, list_weights(index, context),
            alone=context.retrieval.rerank_by == "reranker",
        )  # fmt: skip
        hits = [dict(item) for item in ranked]
    by_id = {each.id: each for each in passages}
    for hit in hits[:k]:
        hit |= {name: getattr(by_id[hit["id"]], name) for name in (*SHOWN, "text")}
    return hits[:k]
