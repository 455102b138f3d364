"""Whether somebody in a message may harm themselves, also if a long message says so only once.

A linear layer on the embedder's vector, fitted by `python -m training.harm`, finds the sentences
that may say it; the reader must find them urgent too.
"""

from collections.abc import Callable, Mapping

from anamnesis.language.text import sentences, well_formed
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import linear_layer

WEIGHTS = "harm.safetensors"
_LEAST = 0.01
"""Minimum probability of the layer for which the reader is asked as well."""


def harm(message: str, levels: Callable[[str], Mapping[str, float]]) -> float:
    """The highest score (0 to 1) of the message and of its sentences.

    The score is the probability of self-harm by the layer, times the probability that the reader
    finds the text urgent or an emergency. ``levels`` gives the reader's probabilities. Raises
    ModelError if the weights are missing or damaged.
    """
    texts = list(dict.fromkeys([message, *parts(message)]))
    vectors = load_embedder(DEFAULT_EMBEDDER).embed_queries([well_formed(item) for item in texts])
    weight, bias = linear_layer(WEIGHTS)
    chances = sigmoid(vectors @ weight + bias)
    likely = [
        (text, float(item)) for text, item in zip(texts, chances, strict=True) if item >= _LEAST
    ]
    return max((item * (1 - levels(text)["routine"]) for text, item in likely), default=0.0)


def parts(message: str) -> list[str]:
    """The sentences of a message."""
    return [message[start:end] for start, end in sentences(message)]
