"""The command that lists passages, without the graph."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from anamnesis import SettingError
from anamnesis.corpus.record import SHOWN
from anamnesis.paths import index_at
from nodes.question.sizes import check_question
from retrievers.corpus import Corpus
from retrievers.methods import LIBRARY, PASSAGES, RERANKED, RETRIEVERS, SPARSE
from retrievers.opening import open_corpus
from retrievers.search import search

if TYPE_CHECKING:  # slow to import, and not needed for the names
    from nodes.context import Context


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
    methods = (alone,) if alone in RETRIEVERS else PASSAGES
    depth = max(k, 10) if way == RERANKED else k
    better = as_fused or len(methods) > 1
    # Imported here because it is slow and not needed for the names.
    from nodes.context import Context
    from nodes.evidence.relevance import list_weights
    from nodes.settings.derived import search_settings

    base = settings or Context.model_validate({})
    as_written = {} if better else {"retrieval.reduce_query": False, "retrieval.tune_query": False}
    context = base.changed({"retrieval.methods": methods, **as_written, **library})
    listed = search(index, question, k=depth, facts=k, **search_settings(context))
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


def retrieve(given: argparse.Namespace) -> int:
    """Print the passages for the question, best first. Returns 1 if there are none, else 0."""
    index = open_corpus(index_at(given.index))
    hits = best_passages(index, given.question, given.method, given.k, given.reranker)
    if given.json:
        print(json.dumps(hits, ensure_ascii=False, indent=2))
        return 0 if hits else 1
    for place, hit in enumerate(hits, 1):
        lists = ", ".join(
            f"{name} #{rank} ({hit['scores'][name]:.3f})" for name, rank in hit["ranks"].items()
        )
        extra = f"; relevance {hit['relevance']:.3f}" if "relevance" in hit else ""
        print(f"{place}. {hit['question'] or hit['title']}  [{hit['id']}, {hit['source']}]")
        print(f"   {lists}; fused {hit['score']:.5f}{extra}")
        print(f"   {' '.join(hit['text'].split())[:160]}")
    if not hits:
        print("nothing found")
    return 0 if hits else 1
