"""Search a corpus by one or several methods, and fuse their lists (R1-R3, H3, K7)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NotRequired, TypedDict, get_args

from anamnesis.errors import SettingError
from anamnesis.language.words import content_terms
from anamnesis.models.encoder import unit
from anamnesis.models.query_tuning import tuned
from retrievers.corpus import Corpus, Found, by_library
from retrievers.facts import BROAD, FactSearch
from retrievers.fusion import (
    check_fusion,
    ensure_listed,
    reciprocal_rank_fusion,
    standardised_fusion,
)

Method = Literal["sparse", "dense", "facts"]
Fusion = Literal["rrf", "standardised"]
BM25 = Literal["matrix", "rank-bm25"]

PASSAGES: tuple[Method, ...] = ("sparse", "dense")
"""The lists of passages; the third list holds facts."""

_METHODS: tuple[Method, ...] = get_args(Method)
_Search = Callable[[int], Sequence[Found]]
_Ranked = tuple[str, float, dict[str, int]]  # id, score, and the rank in each list
_LEAST_CANDIDATES = 30
_FIRST = 2  # this many times as many passages are requested, because some have the same text


class Hit(TypedDict):
    """A passage that was found. Plain JSON.

    ``score`` is the fused score, or the raw score if only one method was used. ``ranks`` (from 1)
    and ``scores`` (raw) are its values in each list that has the passage or another one with the
    same text. If a message has several questions, ``part`` is the number, from 1, of the one for
    which the passage was found.
    """

    id: str
    record_id: str
    score: float
    ranks: dict[str, int]
    scores: dict[str, float]
    part: NotRequired[int]


def search(
    corpus: Corpus,
    query: str,
    methods: Sequence[Method] = PASSAGES,
    k: int = 10,
    candidates: int | None = None,
    rrf_k: float = 60,
    weights: Mapping[Method, float] | None = None,
    reduce_query: bool = False,
    options: Sequence[str] = (),
    facts: int = 8,
    fact_search: FactSearch = "names",
    fusion: Fusion = "rrf",
    facts_broad: int = BROAD,
    tune_query: bool = False,
    bm25: BM25 = "matrix",
) -> list[Hit]:
    """The best ``k`` passages for ``query``, best first.

    A single method returns its own list. Several methods return ``candidates`` each (default: 3 k,
    at least 30). Their lists are fused with ``weights``, by reciprocal ranks with ``rrf_k`` or by
    ``standardised`` scores; if ``k`` is 2 or more, at least one dense passage is kept (H3).

    With ``reduce_query`` the sparse search uses only the content words. The dense search, unless
    ``tune_query`` applies, uses the mean of the vectors of the question and of its content words.
    Then the topic of a message counts more than its length and phrasing.

    With ``tune_query`` the dense search multiplies the question's vector by the learned matrix
    (``anamnesis.models.query_tuning``), if the index was made with the matrix's embedder.

    If ``methods`` contains ``facts``, the best ``facts`` facts are returned in addition to the
    ``k`` passages, all in the order of the fused scores. ``options`` are those of a multiple choice
    question: passages are searched with query and options together, facts as ``fact_search`` and
    ``facts_broad`` say (see ``retrievers.facts.best``).

    ``bm25`` names what computes the sparse list: the index's matrix, or rank_bm25's own class, with
    the same scores (R1).

    The corpus's additional lists (``Corpus.further``) are always searched, with the unchanged
    question, and fused with weight 1.

    Of passages with the same text, only the one with the highest rank in any list is returned (on a
    tie, that of the sparse list). Sparse search finds nothing for a query without words, dense
    search nothing for a blank one.

    Raises SettingError if a setting is invalid.
    """
    weighed: dict[str, float] = {str(name): weight for name, weight in (weights or {}).items()}
    _check(methods, k, candidates, facts, rrf_k, weighed)
    names: list[str] = [*methods, *corpus.further]
    depth = k if len(names) == 1 else candidates or max(3 * k, _LEAST_CANDIDATES)
    # No model can read text that cannot be encoded (half of a surrogate pair).
    asked, *chosen = (text.encode("utf-8", "replace").decode("utf-8") for text in (query, *options))
    text = " ".join([asked, *chosen])

    def listed(name: str) -> list[Found]:
        if name in corpus.further:
            own = corpus.further[name]
            return distinct(lambda n: own(text, n) if text.strip() else [], depth)
        if name == "facts":
            return distinct(
                lambda n: corpus.facts(asked, chosen, n, fact_search, facts_broad), facts
            )
        return distinct(own_lists[name], depth)

    wanted = [name for name in methods if name != "facts" and weighed.get(name, 1.0) > 0]
    own_lists = _searches(corpus, wanted, text, reduce_query, tune_query, bm25, _FIRST * depth)
    # Sequential: a thread would cost more time than the short sparse search saves.
    lists = {name: listed(name) for name in names if weighed.get(name, 1.0) > 0}
    shown = _shown(lists)
    scores = {
        name: {shown[item.text]: item.score for item in found} for name, found in lists.items()
    }
    if len(names) == 1:
        ranked = _alone(names[0], scores[names[0]])
    else:
        ranked = _fused(names, scores, k, fusion, rrf_k, weighed)
    return [
        {
            "id": key,
            "record_id": key.rpartition("#")[0],
            "score": score,
            "ranks": ranks,
            "scores": {name: scores[name][key] for name in ranks},
        }
        for key, score, ranks in ranked
    ]


def _alone(name: str, scores: Mapping[str, float]) -> list[_Ranked]:
    """The passages of a single list, with raw scores."""
    return [(key, score, {name: rank}) for rank, (key, score) in enumerate(scores.items(), start=1)]


def _fused(
    names: Sequence[str],
    scores: Mapping[str, Mapping[str, float]],
    k: int,
    fusion: Fusion,
    rrf_k: float,
    weighed: Mapping[str, float],
) -> list[_Ranked]:
    """The best ``k`` passages of several lists and all facts, in the order of the fused scores."""
    if fusion == "rrf":
        fused = reciprocal_rank_fusion(
            {name: list(scores.get(name, ())) for name in names}, rrf_k, weighed
        )
    else:
        fused = standardised_fusion({name: scores.get(name, {}) for name in names}, weighed)
    by_id = {item.id: item for item in fused}
    facts = scores.get("facts", {})
    order = [key for key in by_id if key not in facts]
    best = order[:k] if k == 1 else ensure_listed(order[:k], order, scores.get("dense", ()), k)
    kept = {*best, *facts}
    return [(key, by_id[key].score, dict(by_id[key].ranks)) for key in by_id if key in kept]


def distinct(search: _Search, k: int) -> list[Found]:
    """The best ``k`` passages of a search, without duplicate texts.

    ``search(n)`` returns the n best; more are requested if duplicates crowd the list.
    """
    asked = _FIRST * k
    while True:
        found = search(asked)
        best: dict[str, Found] = {}
        for item in found:
            best.setdefault(item.text, item)
        if len(best) >= k or len(found) < asked:
            return list(best.values())[:k]
        asked *= 4


def _searches(
    corpus: Corpus, names: Sequence[Method], query: str, reduce_query: bool, tune_query: bool,
    bm25: BM25, first: int,
) -> dict[str, _Search]:  # fmt: skip
    """A search function for each list of passages; its first request is for ``first`` passages."""
    words = " ".join(content_terms(query)) if reduce_query else ""
    made: dict[str, _Search] = {}
    if "sparse" in names:
        library = partial(by_library, corpus)
        made["sparse"] = partial(library if bm25 == "rank-bm25" else corpus.sparse, words or query)
    if "dense" not in names:
        return made
    if not query.strip() or not len(corpus):
        return made | {"dense": lambda k: []}
    vectors = corpus.embedder.embed_queries([query, words] if words else [query])
    moved = tuned(vectors[:1], corpus.embedder) if tune_query else None
    vector = vectors.mean(axis=0) if moved is None else moved[0]
    if corpus.embedder.normalized:
        vector = unit(vector[None])[0]
    made["dense"] = partial(corpus.dense, vector)
    both = getattr(corpus, "both", None)
    if both is None or "sparse" not in made or bm25 == "rank-bm25":
        return made
    # A server returns both lists in one request.
    found = dict(zip(("sparse", "dense"), both(words or query, vector, first), strict=True))
    return {name: _begun(found[name], first, made[name]) for name in made}


def _begun(found: Sequence[Found], first: int, search: _Search) -> _Search:
    return lambda k: found if k == first else search(k)


def _shown(lists: Mapping[str, Sequence[Found]]) -> dict[str, str]:
    """For each text that was found, the id of the passage that represents it."""
    order = (*_METHODS, *(name for name in lists if name not in _METHODS))
    best: dict[str, tuple[int, int, str]] = {}
    for name, found in lists.items():
        for rank, item in enumerate(found):
            place = (rank, order.index(name), item.id)
            best[item.text] = min(best.get(item.text, place), place)
    return {text: key for text, (_, _, key) in best.items()}


def _check(
    methods: Sequence[Method],
    k: int,
    candidates: int | None,
    facts: int,
    rrf_k: float,
    weights: Mapping[str, float],
) -> None:
    known = ", ".join(_METHODS)
    if isinstance(methods, str) or not methods or len(set(methods)) < len(methods):
        raise SettingError(f"methods must be one or more of {known}, each once, not {methods!r}")
    for name in methods:
        if name not in _METHODS:
            raise SettingError(f"there is no search method {name!r}; use one of {known}")
    for setting, value in (
        ("k", k),
        ("candidates", 1 if candidates is None else candidates),
        ("facts", facts),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise SettingError(f"{setting} must be a whole number of at least 1, not {value!r}")
    check_fusion(rrf_k, weights, methods)
