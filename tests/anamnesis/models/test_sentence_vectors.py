"""Vectors of sentences, kept."""

from collections.abc import Sequence

import numpy as np

from anamnesis.models.embedding import load_embedder
from anamnesis.models.sentence_vectors import SentenceVectors


class Counting:
    """Counts what it is asked to embed."""

    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], np.float32)


def test_sentences_are_embedded_once_while_they_are_kept() -> None:
    embedder = Counting()
    vectors = SentenceVectors(embedder, capacity=2)  # type: ignore[arg-type]
    assert vectors([]).shape == (0, 2)
    assert vectors(["a", "b", "a"]).shape == (3, 2)
    vectors(["a"])
    assert embedder.asked == ["a", "b"]
    vectors(["c"])  # b, unused the longest, goes
    vectors(["a", "b"])
    assert embedder.asked == ["a", "b", "c", "b"]


def test_more_sentences_than_are_kept_is_no_error() -> None:
    vectors = SentenceVectors(load_embedder(), capacity=1)
    np.testing.assert_allclose(np.linalg.norm(vectors(["a", "b", "c"]), axis=1), 1, rtol=1e-5)
