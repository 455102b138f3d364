"""Whether a message mentions possible self-harm, even if a long message does so only once.

Two linear layers, on the embedder's vector and on the words (``anamnesis.models.wording``), whose
log-odds are averaged, because they err on different messages. Fitted by `python -m training.harm`.
"""

from collections.abc import Sequence

import numpy as np

from anamnesis.language.text import sentence_texts
from anamnesis.models.classifier import Scores
from anamnesis.models.embedding import load_embedder
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import read_layer
from anamnesis.models.wording import features

WEIGHTS = "harm.safetensors"
WORDS = 1.5
"""Minimum log-odds by its words for a sentence's vector to be computed, which is slow.

Of 9,000 sentences of the training messages and of real ones, drawn at random, 237 reach the score
at which a crisis line is named, the lowest of them with 1.73; 70 % have less than 1.5. `python -m
benchmarks.triage` counts the held-out sentences that reach the score with less.
"""


def harm_probability(message: str) -> float:
    """The highest probability (0 to 1) for the message and for its sentences.

    Sentences whose words make it improbable (``WORDS``) are left out. Raises ModelError if the
    weights are missing or damaged.
    """
    texts = list(dict.fromkeys([message, *message_sentences(message)]))
    words = words_log_odds(texts)
    places = [0, *(n for n in range(1, len(texts)) if words[n] >= WORDS)]
    return float(_scores([texts[place] for place in places], words[places]).max())


def scores(texts: Sequence[str]) -> Scores:
    """The probability for each text (n,)."""
    return _scores(texts, words_log_odds(texts))


def words_log_odds(texts: Sequence[str]) -> Scores:
    """The part of the log-odds (n,) that is due to the words of each text."""
    weights = read_layer(WEIGHTS)[0]["words"]
    found = [
        item.values @ weights[item.columns].astype(np.float32) for item in map(features, texts)
    ]
    return np.array(found, np.float32)


def _scores(texts: Sequence[str], words: Scores) -> Scores:
    stored = read_layer(WEIGHTS)[0]
    vectors = load_embedder().embed_queries(texts)
    return sigmoid(vectors @ stored["weight"] + words + stored["bias"])


def message_sentences(message: str) -> list[str]:
    """The sentences of a message."""
    return sentence_texts(message)
