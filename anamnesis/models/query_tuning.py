"""Question vectors moved to where the passages that answer lie.

An embedder puts a question near texts that are like it; what answers it is put in other words, most
of all where the question is a long message. One matrix, learned by `python -m training.queries`
from judged passages of real messages, moves the question's vector. Passages keep theirs, so that
an index serves both.
"""

from functools import cache

from anamnesis.models.embedding import Embedder
from anamnesis.models.encoder import Vectors, unit
from anamnesis.models.own_layers import read_layer

WEIGHTS = "queries.safetensors"
MATRIX = "matrix"
FINGERPRINT = "embedder"
"""The entry of the file's metadata with the fingerprint of the embedder it was made for."""


def tuned(vectors: Vectors, embedder: Embedder) -> Vectors | None:
    """The vectors (n, dimensions) of questions, moved, with length 1.

    None for another embedder than the one that the matrix was made for. Raises ModelError if the
    matrix is missing or damaged.
    """
    return unit(vectors @ _matrix()[1]) if tunes(embedder) else None


def tunes(embedder: Embedder) -> bool:
    """Whether the matrix was made for this embedder. Raises ModelError as ``tuned`` does."""
    return embedder.fingerprint == _matrix()[0]


@cache
def _matrix() -> tuple[str, Vectors]:
    stored, metadata = read_layer(WEIGHTS)
    return metadata[FINGERPRINT], stored[MATRIX].astype("float32")
