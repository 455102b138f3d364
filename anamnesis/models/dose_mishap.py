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
"""Minimum probability of a heading for its page to be about a mishap: 57 of the 59 such pages of
the starter corpus reach it, and of the 879 others six that are about one as well. From .18 on all
59 do, and a page on the second dose of a medicine for migraine that is about none (`python -m
benchmarks.dose_mishap`).
"""
LEAST = 0.1
"""Minimum probability of a question for such a page to be quoted. It is low, because nothing else
answers a question about a mishap: 77 of 80 reach it, and 27 of 157 others that resemble them. Asked
over the starter corpus and MedQuAD, 28 of these others are answered with such a page without this
minimum (*nose bleeds on apixaban*), and 6 with it; of the 80, 26 are in both cases.
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
