"""Which page on first aid fits an emergency: a linear layer on a message's vector and its words.

Fitted by `python -m training.first_aid`.
"""

import numpy as np
import numpy.typing as npt

from anamnesis.language.text import well_formed
from anamnesis.models import ngrams
from anamnesis.models.embedding import load_embedder
from anamnesis.models.labels import softmax
from anamnesis.models.own_layers import read_layer

WEIGHTS = "first_aid.safetensors"
COLUMNS = 2048
"""The columns of each of the two kinds of features of the words (``anamnesis.models.ngrams``)."""
NO_PAGE = "none"
"""The name for messages that no page fits."""
PAGES = "pages"
"""The key of the names of the pages, separated by commas, in the metadata of the weights."""
_VECTOR, _WORDS = 3.0, 2.5
"""The factors of both parts, chosen on held-out messages."""

Inputs = npt.NDArray[np.float32]


def page_probabilities(message: str) -> dict[str, float]:
    """The probability of each page, by the id of its record, and of ``NO_PAGE``.

    Raises ModelError if the weights or the embedder are missing or damaged.
    """
    stored, metadata = read_layer(WEIGHTS)
    vector = load_embedder().embed_queries([well_formed(message)])[0]
    found = inputs(vector, words(message), stored["idf"])
    chances = softmax((stored["weight"].astype(np.float32) @ found + stored["bias"])[None])[0]
    return dict(zip(metadata[PAGES].split(","), map(float, chances), strict=True))


def inputs(vector: npt.ArrayLike, own_words: Inputs, idf: Inputs) -> Inputs:
    """The inputs of the layer: the vector, and the words (2 × ``COLUMNS``,) weighted by rarity.

    Both kinds of features of the words have length 1 before the factors.
    """
    kinds = (own_words * idf.astype(np.float32)).reshape(2, COLUMNS)
    lengths = np.linalg.norm(kinds, axis=1, keepdims=True)
    scaled = kinds / np.where(lengths > 0, lengths, 1)
    return np.concatenate([_VECTOR * np.asarray(vector, np.float32), _WORDS * scaled.ravel()])


def words(message: str) -> Inputs:
    """The counts (2 × ``COLUMNS``,) of the parts of words, and of the words."""
    found = ngrams.counts(message)
    kind = (found.columns >= ngrams.COLUMNS).astype(np.int64)
    counted = np.zeros(2 * COLUMNS, np.float32)
    np.add.at(counted, found.columns % COLUMNS + kind * COLUMNS, found.values)
    return counted
