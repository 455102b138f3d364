"""BM25 of a question over the memories of one user [R1]. Pure functions.

The vector of a sentence represents names, numbers and rare words poorly, but users ask with these.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, log
from typing import NamedTuple

from anamnesis.language.text import tokenize
from anamnesis.language.words import content_terms, stem
from anamnesis.memory.record import Kind, Memory

NEAREST = 20
"""N, the nearest memories of each kind that are ranked [M3]."""
ALL = 1_000_000
"""More than the number of memories of any user."""

# Memories are short, so a repeated word adds little.
K1 = 0.5
B = 0.75


class MatchedMemory(NamedTuple):
    """A memory: its cosine with the question, the BM25 score of the words, and both combined."""

    memory: Memory
    cosine: float
    words: float
    closeness: float


def ranked(
    asked: str,
    memories: Sequence[Memory],
    cosines: Mapping[str, float],
    kinds: Sequence[Kind],
    n: int,
    lexical_weight: float,
) -> list[MatchedMemory]:
    """The ``n`` nearest memories of each kind, best first [M3].

    ``closeness``, the similarity, combines the cosine and the BM25 score of the question's words,
    which has the weight ``lexical_weight`` (0 to 1). Memories without a cosine are left out.
    """
    shares = [0.0] * len(memories)
    if lexical_weight:
        shares = word_scores(asked, [memory.text for memory in memories])
    found = [
        MatchedMemory(memory, cosine, share, (1 - lexical_weight) * cosine + lexical_weight * share)
        for memory, share in zip(memories, shares, strict=True)
        if (cosine := cosines.get(memory.id)) is not None
    ]
    found.sort(key=lambda one: (-one.closeness, one.memory.id))
    return [one for kind in kinds for one in [o for o in found if o.memory.kind == kind][:n]]


def word_scores(asked: str, texts: Sequence[str]) -> list[float]:
    """The BM25 of the question for each text, as a share (0 to 1) of its upper bound.

    Words are compared by their stems; function words are ignored. A word's weight is log(1 + (N − n
    + ½)/(n + ½)), if n of N texts have it: above 0 even if there are few texts.
    """
    counted = [_term_counts(text) for text in texts]
    wanted = list(_term_counts(asked))
    if not counted or not wanted:
        return [0.0] * len(counted)
    weights = {}
    for term in wanted:
        having = sum(term in item for item in counted)
        weights[term] = log(1 + (len(counted) - having + 0.5) / (having + 0.5))
    lengths = [item.total() for item in counted]
    mean = sum(lengths) / len(lengths) or 1.0
    most = fsum(weights.values()) * (K1 + 1)
    return [
        fsum(
            weight * item[term] * (K1 + 1) / (item[term] + K1 * (1 - B + B * length / mean))
            for term, weight in weights.items()
            if term in item
        )
        / most
        for item, length in zip(counted, lengths, strict=True)
    ]


def forget_words() -> None:
    """Clear the cached words of memories, because some memories were deleted."""
    _term_counts.cache_clear()


@lru_cache(20_000)
def _term_counts(text: str) -> Counter[str]:
    return Counter(term for word in tokenize(text) if (term := _term(word)))


@lru_cache(100_000)
def _term(word: str) -> str:
    """The stem of a word; blank for a function word."""
    return next(map(stem, content_terms(word)), "")
