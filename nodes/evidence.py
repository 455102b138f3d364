"""How well a passage fits a question: is there evidence enough to answer at all [H5]?

The nearest vector is no gate by itself: questions that the documents cannot answer come as near
as those they can. So the words count as well: a passage that lacks the rare words of a question
is about something else.
"""

import math
from collections.abc import Callable

from anamnesis.text import tokenize
from anamnesis.words import content_terms, stem
from corpus.passage import Passage
from nodes.words import is_aspect

FUSED_WEIGHT = 4.0
"""Log-odds that the best place in the fused list is worth. On NFCorpus' dev queries any weight from
1 to 12 does about as well, and none at all is worse."""

_LEAST = 1e-6


def coverage(question: str, text: str, idf: Callable[[str], float]) -> float:
    """The share of the question's meaning words that the text has, each weighed by its idf.

    Words count once and by their stem; a word that asks something of the topic (symptoms,
    treated) counts half, for it is often said in other words. 1 for a question without words.
    """
    weights: dict[str, float] = {}
    for term in content_terms(question):
        weight = idf(term) * (0.5 if is_aspect(term) else 1.0)
        weights[stem(term)] = max(weights.get(stem(term), 0.0), weight)
    there = {stem(word) for word in tokenize(text)}
    total = sum(weights.values())
    return sum(w for term, w in weights.items() if term in there) / total if total else 1.0


def evidence_score(
    question: str, passage: Passage, idf: Callable[[str], float], similarity: float | None
) -> float:
    """How well the passage fits the question, in [0, 1].

    The coverage of the question's words, times the root of the reranker's score: a passage that
    lacks what the question is about does not fit, however near its vector is. The coverage alone
    where nothing was re-ranked.
    """
    covered = coverage(question, f"{passage.title} {passage.heading} {passage.text}", idf)
    if similarity is None:
        return round(covered, 4)
    return round(math.sqrt(max(similarity, 0.0)) * covered, 4)


def blended(probability: float, fused: float) -> float:
    """What a cross-encoder's candidates are ordered by: its log-odds plus the fused score.

    ``fused`` is relative to the best candidate's, in 0..1. Where the cross-encoder is sure, it
    decides; where it is not, both lists still have a say.
    """
    sure = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(sure / (1 - sure)) + FUSED_WEIGHT * fused
