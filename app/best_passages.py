"""The passages found for a question by one method of retrieval, without the graph."""

from typing import TYPE_CHECKING, Any

from anamnesis import SettingError
from anamnesis.corpus.record import SHOWN
from nodes.question.sizes import check_question
from retrievers.corpus import Corpus
from retrievers.methods import DEFAULT_METHODS, HYBRID, RERANKED

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
    # Imported here because it is slow and not needed for the names.
    from nodes.evidence.by_method import found_by, reranked
    from nodes.settings.context import Context

    asked: dict[str, Any] = {"retrieval.methods": DEFAULT_METHODS}
    if way not in (HYBRID, RERANKED) and not as_fused:
        asked |= {"retrieval.reduce_query": False, "retrieval.query_adapter": False}
    context = (settings or Context.model_validate({})).changed(asked)
    depth = max(k, 10) if way == RERANKED else k
    listed = found_by(way, index, question, depth, context, facts_k=k)
    if way == RERANKED:
        from anamnesis.models.reranker import DEFAULT_RERANKER, load_reranker

        model = load_reranker(reranker or DEFAULT_RERANKER)
        listed = [*reranked(listed, index, question, context, model)]
    by_id = {each.id: each for each in index.passages([hit["id"] for hit in listed[:k]])}
    return [
        {**hit, **{name: getattr(by_id[hit["id"]], name) for name in (*SHOWN, "text")}}
        for hit in listed[:k]
    ]
