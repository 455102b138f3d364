"""Whether a question is about the user's own record: what they said about themselves.

Only the user's own words can answer "What am I allergic to?"; no document can. A linear layer on
the embedder's vector of the question decides; `python -m training.own_record` fits it.
"""

from anamnesis.models.embedding import load_embedder
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import linear_layer

WEIGHTS = "record.safetensors"
LEAST = 0.7
"""Minimum probability of a question about the user's own record. Such a question is not answered
from documents, so a false positive costs an answer."""


def about_own_record(question: str) -> float:
    """The probability that only what the user said before can answer a question.

    Raises ModelError if the weights are missing or damaged.
    """
    vectors = load_embedder().embed_queries([question])
    weight, bias = linear_layer(WEIGHTS)
    return float(sigmoid(vectors @ weight + bias)[0])
