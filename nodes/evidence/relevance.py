"""The probability that a passage answers, and the order of passages."""

from typing import NamedTuple

from anamnesis.models.reading import Reading, from_log_odds, log_odds
from nodes.settings.context import Context
from retrievers.corpus import Corpus

FUSED_WEIGHT = 4.0
"""Log-odds of the best place in the fused list, if the reader is not the project's. On NFCorpus'
dev queries any weight from 1 to 12 does about as well."""


class Weights(NamedTuple):
    """Weights with which the reader and the lists are combined, in log-odds.

    ``reader`` is the weight of the reader's log-odds, ``fused`` that of the fused score; ``alone``
    are the log-odds that the reader must reach by itself.
    """

    reader: float
    fused: float
    shift: float
    alone: float


OWN = Weights(reader=0.662, fused=0.199, shift=-3.2, alone=-0.194)
"""Chosen by `python -m benchmarks.relevance` on 621 messages and questions on topics that an
earlier reader was not trained on; the weight for ``fused`` is half again the one that is chosen in
this way (.132): re-ranking LiveQA-Med's messages lowers their nDCG@10 by .003, which is within
chance, and by .007 with the other weight. The shift is fitted to the present reader: of 93 held-out
questions as people type them that none of the first eight pages answers, as many are answered (42)
as with the earlier reader and the shift chosen for it (-3.665)."""


def list_weights(index: Corpus, context: Context) -> Weights | None:
    """How the reader and the lists are put together; None if fused scores cannot be compared.

    Scores of different questions can be compared if they are standardised over long lists of
    candidates: among a few passages even the best score is hardly above the mean. They cannot if
    another retriever's list is fused, whose scores have an unknown scale, or if a filter may leave
    only a few passages.
    """
    lists = not index.further and not index.restricted
    whole = lists and len(index) >= context.retrieval.candidates
    return OWN if whole and context.retrieval.fusion == "standardised" else None


def combined_log_odds(reading: Reading, fused: float, weights: Weights = OWN) -> float:
    """The log-odds by which passages are ordered: the reader's and the lists' scores combined.

    The reader sees only this passage; the ``fused`` score says how far it is ahead of the others.
    """
    return weights.reader * log_odds(reading.relevance) + weights.fused * fused + weights.shift


def relevance(reading: Reading, fused: float | None, weights: Weights = OWN) -> float:
    """The probability that a passage answers: the lower one of the reader's and the combined one.

    If fused scores cannot be compared with those of other questions (None), the reader decides.
    """
    odds = log_odds(reading.relevance)
    if fused is None:
        odds -= OWN.alone
    else:
        odds = min(odds - weights.alone, combined_log_odds(reading, fused, weights))
    return from_log_odds(odds)


def blended(probability: float, fused: float) -> float:
    """The order of passages if the lists are not fused by standardised scores.

    The reader's log-odds plus the weighted fused score, which is relative to the best candidate's,
    in 0..1. If the reader is sure, it decides; otherwise the lists have an effect.
    """
    return log_odds(probability) + FUSED_WEIGHT * fused
