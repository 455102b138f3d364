"""Search for facts: two steps over a question's options, by vectors and names [K2, K3, K7]."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from retrievers.dense import Vectors, open_vectors
from retrievers.fusion import reciprocal_rank_fusion
from retrievers.names import NameIndex
from retrievers.ranking import Scored

FactSearch = Literal["broad", "refined", "names"]
"""How facts are found; see ``best_facts``."""

DEFAULT_FACT_CANDIDATES = 32
"""Number of facts nearest to each option, from which the second step chooses [K2]. The paper does
not state it."""

_DEPTH = 4  # facts of each list that are fused, per requested fact
_RRF_K = 60
_BLOCK = 256  # rows that are multiplied together: they fit in the processor's cache

Embed = Callable[[Sequence[str]], Vectors]
"""Texts to query vectors, shape (n, dimensions)."""

Rows = npt.NDArray[np.int64]


class Facts(Protocol):
    """Searches the facts of an engine, which are numbered from 0."""

    def __len__(self) -> int:
        """The number of facts."""

    def nearest(self, queries: Vectors, k: int) -> list[tuple[int, float]]:
        """The ``k`` nearest facts of each query (n, dimensions), with their inner products."""

    def products(self, facts: Rows, query: Vectors) -> npt.NDArray[np.floating]:
        """The inner product of each of the facts with a query (dimensions,)."""

    def named(self, texts: Sequence[str]) -> list[list[int]]:
        """For each text the places of the names in it; see ``retrievers.names.NameIndex``."""


class FactQuery(NamedTuple):
    """A search for facts: a question, with its options if it has any; see ``best_facts``."""

    question: str
    options: Sequence[str] = ()
    how: FactSearch = "names"
    broad: int = DEFAULT_FACT_CANDIDATES


def best_facts(facts: Facts, query: FactQuery, k: int, embed: Embed) -> list[Scored]:
    """The ``k`` best facts, best first.

    With options there are two steps: the ``broad`` facts nearest to each option [K2], and of these
    the ones nearest to the question with all its options [K3]. ``how`` selects the steps, so that
    they can be measured: ``broad`` is only the first step, ``refined`` is both; ``names`` adds the
    facts that name entities of an option or the question, first those that name most. Without
    options, facts are always found by the question and by the names in it [K7]. The score is the
    inner product with the question and its options or, for ``broad``, with the nearest option.
    """
    question, options, how, broad = query
    k = min(k, len(facts))
    if k < 1 or not any(text.strip() for text in (question, *options)):
        return []
    whole = " ".join([question, *options])
    vectors = embed([whole, *options])
    queries, depth = (vectors[1:], max(broad, k)) if options else (vectors[:1], _DEPTH * k)
    near: dict[int, float] = {}
    for fact, score in facts.nearest(queries, depth):
        near[fact] = max(score, near.get(fact, score))
    if options and how == "broad":
        ranked = sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))[:k]
        return [Scored(fact, score) for fact, score in ranked]
    by_name = how == "names" or not options
    named = naming(*facts.named([question, *options])) if by_name else {}
    rows = np.array(sorted({*near, *named}), np.int64)
    scores = facts.products(rows, vectors[0])
    return [
        Scored(int(rows[place]), float(scores[place])) for place in refine(rows, scores, named, k)
    ]


def naming(question: Sequence[int], *options: Sequence[int]) -> dict[int, int]:
    """For each fact that names something asked about, how many of its two entities do.

    The arguments are the places of the names in the question and in each of its options. With
    options, one of the two entities must be in an option and the other in the question, because a
    link between two options says nothing about either.
    """
    asked = set(question)
    if not options:
        return dict(Counter(place // 2 for place in asked))
    named: dict[int, int] = {}
    for places in options:
        for place in places:
            # The two places of a fact differ in the last bit.
            named[place // 2] = max(named.get(place // 2, 1), 1 + (place ^ 1 in asked))
    return named


class FactIndex:
    """The facts of an index, which are its last rows. Safe to search from several threads."""

    def __init__(self, folder: Path, first: int) -> None:
        """Open the rows from ``first`` on; OSError or ValueError if ``folder`` is no such index."""
        self.vectors = open_vectors(folder)[first:]
        self.first = first
        self.names = NameIndex(folder)

    def __len__(self) -> int:
        """The number of facts."""
        return len(self.vectors)

    def search(self, query: FactQuery, k: int, embed: Embed) -> list[Scored]:
        """The ``k`` best facts, best first, as rows of the index; see ``best_facts``."""
        found = best_facts(self, query, k, embed)
        return [Scored(self.first + fact, score) for fact, score in found]

    def nearest(self, queries: Vectors, k: int) -> list[tuple[int, float]]:
        """The ``k`` nearest facts for each query, as numbers of facts with inner products."""
        # All queries together read the vectors once; FAISS would read them once per query.
        scores = np.empty((len(queries), len(self)), np.float32)
        for start in range(0, len(self), _BLOCK):
            block = self.vectors[start : start + _BLOCK]
            scores[:, start : start + len(block)] = (block @ queries.T).T
        k = min(k, len(self))
        rows = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        found = np.take_along_axis(scores, rows, axis=1)
        return list(zip(rows.ravel().tolist(), found.ravel().tolist(), strict=True))

    def products(self, facts: Rows, query: Vectors) -> npt.NDArray[np.floating]:
        """The inner product of each of the facts with a query (dimensions,)."""
        return np.asarray(self.vectors[facts] @ query)

    def named(self, texts: Sequence[str]) -> list[list[int]]:
        """For each text the places of the names in it; see ``retrievers.names.NameIndex``."""
        found = [self.names.named(text) for text in texts]
        return [[int(item) for places in names for item in places] for names in found]


def refine(
    rows: Rows, scores: npt.NDArray[np.floating], named: dict[int, int], k: int
) -> list[int]:
    """The positions in ``rows`` of the best ``k`` facts, best first.

    Three lists, each in the order of ``scores``, are fused by reciprocal ranks: all facts, those of
    ``named``, and those that name two things. If nothing is named, only the scores decide.
    """
    by_score = sorted(range(len(rows)), key=lambda place: (-scores[place], place))
    counts = [named.get(int(row), 0) for row in rows]
    lists = {
        f"{least} named": [str(place) for place in by_score if counts[place] >= least]
        for least in (2, 1, 0)
    }
    fused = reciprocal_rank_fusion(lists, _RRF_K, first="2 named")
    return [int(item.id) for item in fused[:k]]
