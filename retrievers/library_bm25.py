"""Sparse retrieval by ``rank_bm25.BM25Okapi`` itself, as the published system uses it [R1].

It scans every document for each query and keeps all of their words in memory; the matrix of
``retrievers.sparse`` gives the same scores in less time.
"""

from collections.abc import Iterable

import numpy as np
from rank_bm25 import BM25Okapi

from anamnesis.language.text import tokenize
from retrievers.ranking import Scored, padded, top
from retrievers.sparse import EPSILON, K1, B


class LibraryBM25:
    """The class of the library over texts; document n is row n."""

    def __init__(self, texts: Iterable[str]) -> None:
        words = [tokenize(text) for text in texts]
        # The class divides by the number of words and of documents.
        self._model = BM25Okapi(words, k1=K1, b=B, epsilon=EPSILON) if any(words) else None

    def search(self, query: str, k: int) -> list[Scored]:
        """The ``k`` best documents with a score above zero, best first, equal scores by row."""
        if self._model is None or k < 1:
            return []
        found = np.asarray(self._model.get_scores(tokenize(query)), np.float64)
        scores = np.zeros(padded(len(found)))
        scores[: len(found)] = found
        return top(scores, k)
