"""Metrics of one ranking: pure functions [R7].

``ranked`` holds document ids, best first, without duplicates. ``relevant`` maps the judged
documents to their grades; a grade of 0 or less is not relevant. Documents without a judgement are
not relevant. All metrics are in 0..1; the definitions are those of trec_eval and BEIR.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

Gain = Literal["linear", "exponential"]

CUT = 10


def ndcg(
    ranked: Sequence[str], relevant: Mapping[str, float], cut: int = CUT, gain: Gain = "linear"
) -> float:
    """Discounted cumulative gain of the first ``cut`` ranks, as a share of the maximum.

    A document of grade g at rank r (from 1) adds gain / log2(r + 1). The gain is g if ``linear``
    (trec_eval, BEIR) and 2^g - 1 if ``exponential`` (Burges et al. 2005). 0 if nothing is relevant.
    """
    gains = {key: _gain(grade, gain) for key, grade in relevant.items()}
    best = _discounted(sorted(gains.values(), reverse=True)[:cut])
    return _discounted([gains.get(key, 0.0) for key in ranked[:cut]]) / best if best else 0.0


def reciprocal_rank(ranked: Sequence[str], relevant: Mapping[str, float], cut: int = CUT) -> float:
    """1 / rank of the first relevant document; 0 if none is among the first ``cut``."""
    right = relevant_ids(relevant)
    return next((1 / rank for rank, key in enumerate(ranked[:cut], 1) if key in right), 0.0)


def precision(ranked: Sequence[str], relevant: Mapping[str, float], cut: int = CUT) -> float:
    """Relevant documents among the first ``cut``, divided by ``cut`` even if fewer were found."""
    return _found(ranked, relevant, cut) / cut


def recall(ranked: Sequence[str], relevant: Mapping[str, float], cut: int = CUT) -> float:
    """The share of the relevant documents among the first ``cut``; 0 if nothing is relevant."""
    total = len(relevant_ids(relevant))
    return _found(ranked, relevant, cut) / total if total else 0.0


def hit(ranked: Sequence[str], relevant: Mapping[str, float], cut: int = 1) -> float:
    """1 if a relevant document is among the first ``cut``, else 0."""
    return float(_found(ranked, relevant, cut) > 0)


def relevant_ids(relevant: Mapping[str, float]) -> Collection[str]:
    """The documents with a grade above 0."""
    return {key for key, grade in relevant.items() if grade > 0}


def _found(ranked: Sequence[str], relevant: Mapping[str, float], cut: int) -> int:
    right = relevant_ids(relevant)
    return sum(key in right for key in ranked[:cut])


def _gain(grade: float, gain: Gain) -> float:
    above = max(grade, 0.0)
    return above if gain == "linear" else 2**above - 1


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(item / math.log2(rank + 1) for rank, item in enumerate(gains, start=1))
