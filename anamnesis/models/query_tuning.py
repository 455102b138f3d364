"""Change the vector of a question so that it is nearer to the passages that answer it.

An embedder puts a question near similar texts, but its answer has other words, especially if the
question is a long message. The vector of the question is multiplied by a matrix, which `python -m
training.queries` learned from real messages with judged passages. The vectors of passages are
unchanged, so an index can be searched with and without the matrix.
"""

from functools import cache

from anamnesis.models.embedding import Embedder
from anamnesis.models.encoder import Vectors, unit
from anamnesis.models.own_layers import read_layer

WEIGHTS = "queries.safetensors"
MATRIX = "matrix"
FINGERPRINT = "embedder"
"""The entry of the file's metadata with the fingerprint of the embedder that the matrix is for."""


def tuned(vectors: Vectors, embedder: Embedder) -> Vectors | None:
    """The vectors (n, dimensions) of questions after multiplication by the matrix, at length 1.

    None if the matrix is for another embedder. Raises ModelError if the matrix is missing or
    damaged.
    """
    return unit(vectors @ _matrix()[1]) if tunes(embedder) else None


def tunes(embedder: Embedder) -> bool:
    """Whether the matrix is for this embedder. Raises ModelError as ``tuned`` does."""
    return embedder.fingerprint == _matrix()[0]


@cache
def _matrix() -> tuple[str, Vectors]:
    stored, metadata = read_layer(WEIGHTS)
    return metadata[FINGERPRINT], stored[MATRIX].astype("float32")
