"""Which sentences of a message ask a question: a linear layer on their vectors.

The layer was fitted on real messages by `python -m training.asks`; a question mark at the end is a
further input, because many questions have none.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anamnesis.language.lexicon import any_of
from anamnesis.language.text import sentence_texts
from anamnesis.models.classifier import Scores
from anamnesis.models.embedding import load_embedder
from anamnesis.models.encoder import Vectors
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import linear_layer

WEIGHTS = "asks.safetensors"
_CLOSING = "\"'”’) "
# In careless writing the next question may begin with a lower-case letter.
_NEXT = re.compile(r"(?<=\?)\s+(?=\w)")
_BEGINS = rf"(?:{any_of('question', 'question_form', 'be', 'do', 'modal', 'possibility')})\b"
# 'What causes gout and how is it treated?' asks two questions. Of MeQSum's lines on which this was
# not tried before, 88 are separated, and in 30 of these, drawn at random, both parts are questions.
_FIRST = re.compile(rf"\W*(?:(?:{any_of('leading', without='or')})\W+)?{_BEGINS}", re.IGNORECASE)
_JOINED = re.compile(rf",?\s(?:and(?:\salso)?|also)\s(?={_BEGINS}\s)", re.IGNORECASE)


class QuestionSentences(NamedTuple):
    """For each sentence, the probability that it asks (n,), and its unit vector (n, dimensions)."""

    chances: Scores
    vectors: Vectors


def message_sentences(message: str) -> Iterator[str]:
    """The sentences of a message; a question mark ends one in any case.

    A question is separated from one that follows it after 'and' or 'also'.
    """
    for sentence in marked_sentences(message):
        yield from joined_questions(sentence)


def marked_sentences(message: str) -> Iterator[str]:
    """The sentences of a message, each with its own punctuation."""
    for sentence in sentence_texts(message):
        yield from _NEXT.split(sentence)


def joined_questions(sentence: str) -> list[str]:
    """The questions that 'and' or 'also' joins in a sentence; otherwise the sentence."""
    return _JOINED.split(sentence) if _FIRST.match(sentence) else [sentence]


def question_sentences(texts: Sequence[str]) -> QuestionSentences:
    """The sentences of a message, with probabilities and vectors.

    Raises ModelError if the weights are missing or damaged.
    """
    vectors = load_embedder().embed_queries(texts)
    weight, bias = linear_layer(WEIGHTS)
    return QuestionSentences(sigmoid(layer_inputs(texts, vectors) @ weight + bias), vectors)


def layer_inputs(texts: Sequence[str], vectors: Vectors) -> Vectors:
    """The inputs of the layer (n, dimensions + 1): the vectors, and 1 for a question mark."""
    marked = [item.rstrip(_CLOSING).endswith("?") for item in texts]
    return np.column_stack([vectors, np.array(marked, np.float32)])
