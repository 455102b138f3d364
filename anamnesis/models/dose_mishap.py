"""Whether a text asks about a dose that was missed, late, repeated or too large.

A page on missed doses may read like an answer to any question on its medicine. A linear layer on
the embedder's vector says of a question, and of the heading of a page, whether it is about such a
mishap; `python -m training.dose_mishap` fits it, `python -m benchmarks.dose_mishap` measures it.
"""

from functools import lru_cache

from anamnesis.models.embedding import load_embedder
from anamnesis.models.labels import sigmoid
from anamnesis.models.own_layers import linear_layer

WEIGHTS = "dose_mishap.safetensors"
PAGE = 0.28
"""Minimum probability of a heading for its page to be about a mishap, chosen with the pages of the
starter corpus: 57 of the 59 on missed and double doses reach it, and six others, which are about a
mishap as well. .18 is reached by all 59, but also by a page that is about none (`python -m
benchmarks.dose_mishap`).
"""
LEAST = 0.1
"""Minimum probability of a question for such a page to be quoted. It is low, because nothing else
answers a question about a mishap. Chosen with 237 questions of one writer; of those of another, 67
of 70 reach it, and 12 of 129 others. Without the check, 14 of these others are answered with such a
page (*nose bleeds on apixaban*), with it 2 (`python -m benchmarks.dose_mishap --index DIR`).
"""


def about_dose_mishap(text: str) -> float:
    """The probability that a question, or the heading of a page, is about such a dose.

    Raises ModelError if the weights or the embedder are missing or damaged.
    """
    vectors = load_embedder().embed_queries([text])
    weight, bias = linear_layer(WEIGHTS)
    return float(sigmoid(vectors @ weight + bias)[0])


@lru_cache(maxsize=4096)
def is_mishap_page(heading: str) -> bool:
    """Whether a page is about such a dose, by its heading. Raises ModelError as above."""
    return about_dose_mishap(heading) >= PAGE
