"""Whether a message mentions possible self-harm, even if a long message does so only once.

Two linear layers, on the embedder's vector and on the words (``anamnesis.models.wording``), whose
log-odds are averaged, because they err on different messages. Fitted by `python -m training.harm`.
"""

from collections.abc import Sequence

import numpy as np

from anamnesis.language.text import sentences, well_formed
from anamnesis.models.classifier import Scores
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import read_layer
from anamnesis.models.wording import features

WEIGHTS = "harm.safetensors"


def harm_probability(message: str) -> float:
    """The highest probability (0 to 1) for the message and for its sentences.

    Raises ModelError if the weights are missing or damaged.
    """
    texts = list(dict.fromkeys([message, *message_sentences(message)]))
    return float(scores(texts).max(initial=0.0))


def scores(texts: Sequence[str]) -> Scores:
    """The probability for each text (n,)."""
    stored = read_layer(WEIGHTS)[0]
    vectors = load_embedder(DEFAULT_EMBEDDER).embed_queries([well_formed(item) for item in texts])
    words = []
    for text in texts:
        found = features(text)
        words.append(found.values @ stored["words"][found.columns].astype(np.float32))
    return sigmoid(vectors @ stored["weight"] + np.array(words, np.float32) + stored["bias"])


def message_sentences(message: str) -> list[str]:
    """The sentences of a message."""
    return [message[start:end] for start, end in sentences(message)]
