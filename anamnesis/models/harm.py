"""Whether a message mentions possible self-harm, even if a long message does so only once.

The log-odds by the reader's middle block (``anamnesis.models.message_layers``) and by the words
(``anamnesis.models.wording``) are averaged, because they err on different messages. The layer on
the words is fitted by `python -m training.harm`.
"""

from collections.abc import Callable, Sequence

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


def harm_probability(message: str, of_message: float, reads: Callable[[str], float]) -> float:
    """The highest probability (0 to 1) for the message and for its sentences.

    ``of_message`` is the reader's output for the message, ``reads`` gives it for a sentence
    (``MessageOutputs.harm``). Sentences whose words make it improbable (``WORDS``) are left out.
    Raises ModelError if the weights are missing or damaged.
    """
    parts = [part for part in dict.fromkeys(sentence_texts(message)) if part != message]
    words = words_log_odds([message, *parts])
    likely = [
        (reads(part), found) for part, found in zip(parts, words[1:], strict=True) if found >= WORDS
    ]
    return float(max(score(*both) for both in ((of_message, words[0]), *likely)))


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
