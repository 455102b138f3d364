"""A cache of sentence vectors, because the same sentences are needed again and again."""

from collections.abc import Sequence

import numpy as np

from anamnesis.language.text import sentences, without_marker
from anamnesis.models.bounded_cache import BoundedCache
from anamnesis.models.embedding import Embedder
from anamnesis.models.encoder import Vectors, unit


def as_embedded(text: str) -> str:
    """The embedded form of a sentence or list item: no list marker, single blanks."""
    return " ".join(without_marker(text).split())


def spans_and_texts(text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """The sentences of a text: their (start, end), and how they are embedded."""
    spans = [(span.start, span.end) for span in sentences(text)]
    return spans, [as_embedded(text[start:end]) for start, end in spans]


class SentenceVectors:
    """Unit vectors of short texts by the document encoder of an embedder; the last used are cached.

    Rounds and turns often use the same passages, so most of their sentences need no computation.
    20,000 vectors of 384 numbers take 31 MB. Safe to share between threads.
    """

    def __init__(self, embedder: Embedder, capacity: int = 20_000) -> None:
        self.embedder = embedder
        self._kept: BoundedCache[Vectors] = BoundedCache(capacity)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n, dimensions); those not in the cache are computed in one call."""
        if not texts:
            return np.empty((0, self.embedder.dimensions), np.float32)

        def computed(places: list[int]) -> list[Vectors]:
            # Copies: a row of the batch would keep the whole batch alive.
            rows = unit(self.embedder.embed_documents([texts[place] for place in places]))
            return [row.copy() for row in rows]

        return np.stack(self._kept.get_or_make(texts, computed))


_shared: dict[str, SentenceVectors] = {}


def vectors_of(embedder: Embedder) -> SentenceVectors:
    """The sentence vectors of an embedder, shared by reranker and critic."""
    return _shared.setdefault(embedder.fingerprint, SentenceVectors(embedder))
