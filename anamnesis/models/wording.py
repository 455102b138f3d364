"""How urgent the words of a message are: a linear layer on its words and parts of words.

The reader understands sentences, but it learns little from a message of a few words. For such a
message the words alone are the better sign. The two err on different messages, so their log-odds
are added. Fitted by `python -m training.wording`.
"""

import numpy as np

from anamnesis.models.classifier import Scores
from anamnesis.models.ngrams import COLUMNS, Counts, counts
from anamnesis.models.own_layers import read_layer

WEIGHTS = "wording.safetensors"


def combined(message: str, last: Scores, middle: Scores) -> Scores:
    """The log-odds of the levels of urgency (3,), from the words and two of the reader's blocks.

    ``last`` and ``middle`` (3,) are the log-odds by the last and by the middle block
    (``anamnesis.models.message_layers``). Raises ModelError if the weights are missing or damaged.
    """
    stored = read_layer(WEIGHTS)[0]
    columns, values = features(message)
    words = values @ stored["weight"][columns].astype(np.float32)
    found: Scores = words + stored["last"] * last + stored["middle"] * middle + stored["bias"]
    return found


def features(text: str) -> Counts:
    """The features of a text, by how rare they are among the messages of the training data."""
    return scaled(counts(text), read_layer(WEIGHTS)[0]["idf"])


def scaled(counted: Counts, idf: np.ndarray) -> Counts:
    """The features times ``idf`` (2 × ``COLUMNS``,), each of the two kinds at length 1."""
    values = counted.values * idf[counted.columns].astype(np.float32)
    for kind in (counted.columns < COLUMNS, counted.columns >= COLUMNS):
        length = np.linalg.norm(values[kind])
        if length > 0:
            values[kind] /= length
    return Counts(counted.columns, values)
