"""Metrics of an answer's wording against an expected answer: pure functions [H9, M10].

Vectors are unit vectors of an encoder, so their inner products are cosines.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.language.text import sentences
from anamnesis.language.words import content_stems
from anamnesis.models.encoder import Vectors

ALPHA = 0.1
"""The weight of the coverage of sentences in AICS [M10]."""
SIMILAR = 0.7
"""The minimum cosine of two highly similar sentences."""

_TOKEN = re.compile(r"[a-z0-9]+")


class Matched(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def rouge_l(candidate: str, reference: str) -> float:
    """ROUGE-L F1, of the longest common subsequence of words (Lin 2004), in 0..1.

    Words are runs of a-z and 0-9 in lower case, without stemming. 0 if a text has no words.
    """
    one, other = (_TOKEN.findall(text.lower()) for text in (candidate, reference))
    if not one or not other:
        return 0.0
    return _matched(*(_common(one, other) / len(item) for item in (one, other))).f1


def bertscore(candidate: Vectors, reference: Vectors) -> Matched:
    """BERTScore (Zhang et al. 2020), without word weights and without rescaling.

    Each token is matched to the nearest token of the other text: precision is the mean cosine over
    the candidate's tokens, shape (n, d), recall over the reference's, shape (m, d). 0 if a text has
    no token.
    """
    if not len(candidate) or not len(reference):
        return Matched(0.0, 0.0, 0.0)
    cosines = candidate @ reference.T
    return _matched(float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean()))


class Coverage(NamedTuple):
    """How much of an expected answer a response covers [M10].

    ``ics`` is the share of the expected sentences that are highly similar to one of the response,
    ``ics_literal`` the score as printed: the mean over the response's sentences of the share of
    expected sentences highly similar to it. ``kpcs`` is the share of the key points in the
    response, ``aics`` is α · ics + (1 − α) · kpcs.
    """

    ics: float
    ics_literal: float
    kpcs: float
    aics: float


def coverage(
    response: str, expected: str, cosines: Vectors, similar: float = SIMILAR, alpha: float = ALPHA
) -> Coverage:
    """``Coverage`` of an expected answer; all 0 for an empty response.

    ``cosines`` has a row for each of ``parts(response)`` and a column for each of
    ``parts(expected)``.
    """
    near = cosines >= similar
    ics = float(near.any(axis=0).mean()) if near.size else 0.0
    points = key_points(expected)
    kpcs = len(points & key_points(response)) / len(points) if points else 0.0
    return Coverage(
        ics, float(near.mean()) if near.size else 0.0, kpcs, alpha * ics + (1 - alpha) * kpcs
    )


def parts(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[span.start : span.end] for span in sentences(text)]


def key_points(text: str) -> frozenset[str]:
    """The key points of a text, by rule: the stems of its content words, and its numbers."""
    return frozenset(content_stems(text))


def _matched(precision: float, recall: float) -> Matched:
    both = precision + recall
    return Matched(precision, recall, 2 * precision * recall / both if both else 0.0)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, with one bit per word of ``one`` (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(one)) - 1
    free = whole
    for word in other:
        met = free & places.get(word, 0)
        free = (free + met | free - met) & whole
    return len(one) - free.bit_count()
