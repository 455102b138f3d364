"""Search a corpus by one or several methods, and fuse the lists that they return [R1–R3, H3, K7].

A *method* is a way to search (sparse, dense, facts); a *list* is its result, best first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from anamnesis.errors import SettingError
from retrievers.corpus import Corpus, Found
from retrievers.facts import DEFAULT_FACT_CANDIDATES, FactQuery, FactSearch
from retrievers.fusion import (
    check_fusion,
    ensure_listed,
    reciprocal_rank_fusion,
    standardised_fusion,
)
from retrievers.methods import (
    BM25,
    DEFAULT_METHODS,
    DENSE,
    RETRIEVERS,
    SPARSE,
    Request,
    checked_method,
    finds_facts,
    guarantees_a_passage,
)

Fusion = Literal["rrf", "standardised"]

_Search = Callable[[int], Sequence[Found]]
_Ranked = tuple[str, float, dict[str, int]]  # id, score, and the rank in each list
_LEAST_CANDIDATES = 30


class Hit(TypedDict):
    """A passage that was found. Plain JSON.

    ``score`` is the fused score, or the raw score if there was only one list. ``ranks`` (from 1)
    and ``scores`` (raw) have one entry for each list that contains the passage or another one with
    the same text. ``part`` is the number (from 1) of the question for which the passage was found;
    only if the message has several questions.
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
    methods: Sequence[str] = DEFAULT_METHODS,
    k: int = 10,
    candidates: int | None = None,
    rrf_k: float = 60,
    weights: Mapping[str, float] | None = None,
    reduce_query: bool = False,
    options: Sequence[str] = (),
    facts_k: int = 8,
    fact_search: FactSearch = "names",
    fusion: Fusion = "rrf",
    fact_candidates: int = DEFAULT_FACT_CANDIDATES,
    query_adapter: bool = False,
    bm25: BM25 = "matrix",
) -> list[Hit]:
    """The best ``k`` passages for ``query``, best first.

    ``methods`` are names of ``RETRIEVERS``. Each method returns a ranked list of passages (or
    facts). The list of a single method is returned with its own scores. Lists of several methods
    have ``candidates`` passages each (default: 3 k, at least 30) and are fused with ``weights``: if
    ``fusion`` is ``rrf``, by reciprocal ranks with the constant ``rrf_k``; if it is
    ``standardised``, by standardised scores. If ``k`` is 2 or more and ``methods`` contains
    "dense", at least one passage of the dense list is among the ``k`` passages [H3].

    The corpus's own additional search functions (``Corpus.further``) are always run as well, on the
    question and the options as they are (``reduce_query`` and ``query_adapter`` have no effect on
    them). Their lists have weight 1 in the fusion.

    With ``reduce_query`` the sparse search uses only the content words of the query, and the dense
    search uses the mean of two vectors: that of the query and that of its content words. So the
    topic of a message counts more than its length and phrasing.

    With ``query_adapter`` the dense search uses the vector of the query alone, multiplied by the
    learned matrix (``anamnesis.models.query_tuning``), if the index was made with the embedder for
    which the matrix was learned.

    If ``methods`` contains "facts", the best ``facts_k`` facts are returned in addition to the
    ``k`` passages; both are in one list, in the order of the fused scores.
    ``options`` are those of a multiple choice question. Passages are searched for with the query
    and all options as one text. How facts are searched for is set by ``fact_search``, and by
    ``fact_candidates`` (how many facts are taken per option in the first step; see
    ``retrievers.facts.best_facts``).

    ``bm25`` selects how the sparse list is computed: "matrix" with the matrix of the index,
    "rank-bm25" with the library of that name. Both give the same scores [R1].

    If several passages have the same text, only the one with the best rank in any list is returned;
    on a tie, the one in the list that comes first in ``RETRIEVERS``. Sparse search finds nothing
    for a query without words, dense search nothing for a blank one.

    Raises SettingError if a setting is invalid.
    """
    weights = weights or {}
    _check_settings(methods, k, candidates, facts_k, rrf_k, weights)
    names = [*methods, *corpus.further]
    list_length = k if len(names) == 1 else candidates or max(3 * k, _LEAST_CANDIDATES)
    used = [name for name in names if weights.get(name, 1.0) > 0]
    # Lone surrogates, which cannot be encoded, become '?'.
    texts = [text.encode("utf-8", "replace").decode("utf-8") for text in (query, *options)]
    # A server can answer the first sparse and dense searches in one request.
    in_one_request = bm25 == "matrix" and {SPARSE, DENSE} <= {*used}
    request = Request(
        corpus,
        FactQuery(texts[0], texts[1:], fact_search, fact_candidates),
        reduce_query,
        query_adapter,
        bm25,
        both_depth=_first_request(list_length) if in_one_request else 0,
    )
    # One method after the other: the sparse search is so short that a thread would cost more time
    # than it saves.
    lists = {
        name: _ranked_list(name, request, facts_k if finds_facts(name) else list_length)
        for name in used
    }
    # By the id of a passage, best first; passages with the same text have one id.
    ids = _representatives(lists)
    scores = {name: {ids[item.text]: item.score for item in found} for name, found in lists.items()}
    if len(names) == 1:
        by_rank = enumerate(scores[names[0]].items(), start=1)
        ranked = [(key, score, {names[0]: rank}) for rank, (key, score) in by_rank]
    else:
        ranked = _fused(names, scores, k, fusion, rrf_k, weights)
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


def _ranked_list(name: str, request: Request, k: int) -> list[Found]:
    """The best ``k`` that one method finds, without duplicate texts."""
    if name not in request.corpus.further:
        return distinct(lambda n: RETRIEVERS[name].search(request, n), k)
    search = request.corpus.further[name]
    return distinct(lambda n: search(request.text, n) if request.text else [], k)


def _representatives(lists: Mapping[str, Sequence[Found]]) -> dict[str, str]:
    """For each text that was found, the id of the passage that represents it."""
    order = list(dict.fromkeys([*RETRIEVERS, *lists]))
    best: dict[str, tuple[int, int, str]] = {}
    for name, found in lists.items():
        for rank, item in enumerate(found):
            priority = (rank, order.index(name), item.id)
            best[item.text] = min(best.get(item.text, priority), priority)
    return {text: key for text, (_, _, key) in best.items()}


def _fused(
    names: Sequence[str],
    scores: Mapping[str, Mapping[str, float]],
    k: int,
    fusion: Fusion,
    rrf_k: float,
    weights: Mapping[str, float],
) -> list[_Ranked]:
    """The best ``k`` passages of several lists and all facts, in the order of the fused scores."""
    if fusion == "rrf":
        fused = reciprocal_rank_fusion(
            {name: list(scores.get(name, ())) for name in names}, rrf_k, weights, SPARSE
        )
    else:
        scored = {name: scores.get(name, {}) for name in names}
        fused = standardised_fusion(scored, weights, SPARSE)
    by_id = {item.id: item for item in fused}
    facts = {key for name in scores if finds_facts(name) for key in scores[name]}
    order = [key for key in by_id if key not in facts]
    guaranteed_ids = {key for name in scores if guarantees_a_passage(name) for key in scores[name]}
    # With k = 1 the best passage is returned, whichever list it is from.
    best = order[:k] if k == 1 else ensure_listed(order[:k], order, guaranteed_ids, k)
    returned_ids = {*best, *facts}
    return [(key, by_id[key].score, dict(by_id[key].ranks)) for key in by_id if key in returned_ids]


def distinct(search: _Search, k: int) -> list[Found]:
    """The best ``k`` passages of a search, without duplicate texts.

    ``search(n)`` returns the n best passages. It is called again with four times n until ``k`` of
    them have different texts, or it returns fewer than n passages.
    """
    requested = _first_request(k)
    while True:
        found = search(requested)
        best: dict[str, Found] = {}
        for item in found:
            best.setdefault(item.text, item)
        if len(best) >= k or len(found) < requested:
            return list(best.values())[:k]
        requested *= 4


def _first_request(k: int) -> int:
    """The number of passages to ask for if ``k`` with different texts are wanted."""
    return k + k // 4


def _check_settings(
    methods: Sequence[str],
    k: int,
    candidates: int | None,
    facts_k: int,
    rrf_k: float,
    weights: Mapping[str, float],
) -> None:
    """Raise SettingError if a setting of a search is invalid."""
    if isinstance(methods, str) or not methods or len(set(methods)) < len(methods):
        known = ", ".join(RETRIEVERS)
        raise SettingError(
            f"methods must be a list of one or more of {known}, without repeats, not {methods!r}"
        )
    for name in methods:
        checked_method(name)
    for setting, value in (
        ("k", k),
        ("candidates", 1 if candidates is None else candidates),
        ("facts_k", facts_k),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise SettingError(f"{setting} must be a whole number of at least 1, not {value!r}")
    check_fusion(rrf_k, weights, methods)
