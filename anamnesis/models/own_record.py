"""Whether a question is about the user's own record, that is, what they said about themselves.

Only the user's own words can answer "What am I allergic to?"; no document can. A linear layer on
the embedder's vector of the question, fitted by `python -m training.own_record`.
"""

from functools import cache

from anamnesis.language.text import well_formed
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.encoder import Vectors
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import read_layer

WEIGHTS = "record.safetensors"
LEAST = 0.7
"""Least probability of a question about the user's own record. Such a question is not answered
from documents, so that a wrong yes costs an answer."""


def about_own_record(question: str) -> float:
    """The probability that only what the user said before can answer a question.

    Raises ModelError if the weights are missing or damaged.
    """
    vectors = load_embedder(DEFAULT_EMBEDDER).embed_queries([well_formed(question)])
    weight, bias = _layer()
    return float(sigmoid(vectors @ weight + bias)[0])


@cache
def _layer() -> tuple[Vectors, Vectors]:
    stored, _ = read_layer(WEIGHTS)
    return stored["weight"], stored["bias"]
