"""Whether a message mentions possible self-harm, even if a long message does so only once.

The log-odds by the reader's middle block (``anamnesis.models.message_layers``) and by the words
(``anamnesis.models.wording``) are averaged, because they err on different messages. The layer on
the words is fitted by `python -m training.harm`.
"""

from collections.abc import Sequence

import numpy as np

from anamnesis.language.text import sentence_texts
from anamnesis.models.classifier import Scores
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import read_layer
from anamnesis.models.wording import features

WEIGHTS = "harm.safetensors"
WORDS = -3.0
"""Minimum log-odds by its words for a sentence to be read by itself, which takes time; `python -m
benchmarks.triage` counts the held-out sentences below it that would reach the score at which a
crisis line is named.
"""


def texts_to_read(message: str) -> dict[str, float]:
    """The message, then its sentences, with the part of each's log-odds that is due to its words.

    Sentences whose words make self-harm improbable (``WORDS``) are left out. Raises ModelError if
    the weights are missing or damaged.
    """
    texts = list(dict.fromkeys([message, *sentence_texts(message)]))
    odds = zip(texts, map(float, words_log_odds(texts)), strict=True)
    return {text: found for text, found in odds if text == message or found >= WORDS}


def harm_probability(by_words: Sequence[float], by_reader: Sequence[float]) -> float:
    """The highest probability (0 to 1) of texts, from both parts of each one's log-odds.

    ``by_reader`` has ``MessageOutputs.harm`` of each.
    """
    return max(map(score, by_reader, by_words))


def score(by_reader: float, by_words: float) -> float:
    """The probability for a text from both parts of its log-odds."""
    return float(sigmoid(np.array([by_reader + by_words], np.float32))[0])


def words_log_odds(texts: Sequence[str]) -> Scores:
    """The part of the log-odds (n,) that is due to the words of each text."""
    stored = read_layer(WEIGHTS)[0]
    found = [
        item.values @ stored["words"][item.columns].astype(np.float32)
        for item in map(features, texts)
    ]
    odds: Scores = np.array(found, np.float32) + stored["bias"]
    return odds
