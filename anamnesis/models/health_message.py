"""Whether a message is about somebody's symptoms or medicines, not about a topic.

A linear layer on the embedder's vector of the message decides; whether it has a word for the writer
or a relative is a further input, because many such messages have none ("rash on left arm, three
days now"). `python -m training.health_message` fits it.
"""

import re
from collections.abc import Sequence

import numpy as np

from anamnesis.language.lexicon import any_of
from anamnesis.language.words import SELF
from anamnesis.models.embedding import load_embedder
from anamnesis.models.encoder import Vectors
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import linear_layer

WEIGHTS = "health_message.safetensors"
LEAST = 0.4
"""Minimum probability of a message about somebody's health. It is low, because a false positive
costs one line of advice."""
_PERSON = re.compile(
    rf"\b({SELF}|we|baby|{any_of('third', 'third_possessive', without='it its they their')}"
    rf"|{any_of('speaker_object', 'speaker_possessive', 'family', without='your')})\b",
    re.IGNORECASE,
)


def about_someones_health(message: str) -> float:
    """The probability that a message is about somebody's symptoms or medicines.

    Raises ModelError if the weights are missing or damaged.
    """
    vectors = load_embedder().embed_queries([message])
    weight, bias = linear_layer(WEIGHTS)
    return float(sigmoid(person_inputs([message], vectors) @ weight + bias)[0])


def is_about_health(message: str) -> bool:
    """Whether a message is about somebody's health, or has a word for a person.

    Raises ModelError as ``about_someones_health`` does.
    """
    return names_person(message) or about_someones_health(message) >= LEAST


def person_inputs(messages: Sequence[str], vectors: Vectors) -> Vectors:
    """The inputs of the layer (n, dimensions + 1): the vectors, and 1 if a person is named."""
    return np.column_stack([vectors, np.array([names_person(item) for item in messages], "f4")])


def names_person(message: str) -> bool:
    """Whether a message has a word for its writer, a relative, or a person named before."""
    return _PERSON.search(message) is not None
