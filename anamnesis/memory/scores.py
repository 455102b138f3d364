"""Scores of a memory: relevance to a question [M4], trust and persistence [M5–M7]. Pure."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Literal, NamedTuple

from anamnesis import SettingError

Rating = Literal["good", "bad", "unrated"]
FEEDBACK: Mapping[Rating, int] = {"good": 1, "unrated": 0, "bad": -1}
"""The feedback score FS of each rating [M4]."""

EPSILON = 0.01
"""Days added to an age, so that a memory of age 0 has a finite score [M4]."""

ALPHA = 0.8
WEIGHT_VALIDATION = 1.0
WEIGHT_TOTAL = 4.0
TRUST_INITIAL = WEIGHT_VALIDATION / WEIGHT_TOTAL
"""α, w_v, w_s and TS_init [M5]."""

LAMBDA = 0.5
ETA = 0.85
"""λ [M6] and η [M7]."""


ScoreScaling = Literal["min-max", "none"]
"""How the terms of MRS are scaled before they are added: to 0–1 over the candidates, or not [M4].
"""


class Weights(NamedTuple):
    """The weights a, b, c, d of recall count, recency, similarity and feedback [M4]."""

    recalls: float
    recency: float
    similarity: float
    feedback: float


Ranking = Literal[
    "default",
    "freshness",
    "popularity",
    "feedback-freshness",
    "feedback",
    "balanced",
    "core",
    "similarity",
]
RANKINGS: Mapping[Ranking, Weights] = {
    "default": Weights(0.10, 0.15, 0.70, 0.05),
    "freshness": Weights(0.05, 0.35, 0.55, 0.05),
    "popularity": Weights(0.30, 0.05, 0.60, 0.05),
    "feedback-freshness": Weights(0.10, 0.40, 0.10, 0.40),
    "feedback": Weights(0.05, 0.10, 0.55, 0.30),
    "balanced": Weights(0.20, 0.20, 0.50, 0.10),
    "core": Weights(1 / 3, 1 / 3, 1 / 3, 0),
    "similarity": Weights(0, 0, 1, 0),  # the paper's own tests
}
"""Presets of the weights [M4]."""


class Facts(NamedTuple):
    """What MRS is computed from: recall count, age in days, cosine, and FS (1, 0 or −1)."""

    recalls: int
    days: float
    cosine: float
    feedback: int


class Score(NamedTuple):
    """MRS and its four terms, which add up to ``total`` before scaling."""

    mrs: float
    total: float
    recalls: float
    recency: float
    similarity: float
    feedback: float


def mrs(
    facts: Sequence[Facts], weights: Weights, *, scaling: ScoreScaling = "min-max"
) -> list[Score]:
    """``MRS = a·RC + b/(Rec + ε) + c·SS + d·FS`` of each candidate, scaled to 0–1 over them [M4].

    Each term is first scaled to 0–1 over the candidates, because recall counts have no bound and
    1/(Rec + ε) reaches 100 for new memories: unscaled, they would outweigh the similarity. With
    ``scaling="none"`` the terms are added as they are, as in the published formula. If all are
    equal, all are 1.

    Raises SettingError if the weights do not add up to 1, or one is below 0.
    """
    if not abs(sum(weights) - 1) < 1e-6 or min(weights) < 0:
        raise SettingError(f"the weights of a ranking add up to 1 and are 0 or more, not {weights}")
    terms = [
        [float(item.recalls) for item in facts],
        [1 / (max(item.days, 0.0) + EPSILON) for item in facts],
        [item.cosine for item in facts],
        [float(item.feedback) for item in facts],
    ]
    if scaling == "min-max":
        terms = [scaled(term) for term in terms]
    parts = [
        [weight * value for value in term] for weight, term in zip(weights, terms, strict=True)
    ]
    totals = [sum(item) for item in zip(*parts, strict=True)]
    return [Score(*row) for row in zip(scaled(totals), totals, *parts, strict=True)]


def scaled(values: Sequence[float]) -> list[float]:
    """The values scaled to between 0 (the least) and 1 (the greatest); all 1 if they are equal."""
    if not values:
        return []
    least, most = min(values), max(values)
    width = most - least
    # A width that is too small to divide by counts as zero.
    if not isfinite(width) or width < 1e-12:
        return [1.0 for _ in values]
    return [(value - least) / width for value in values]


def trust(before: float, total: int, correct: int) -> float:
    """``TS = α·TS + (1 − α)·(C_correct + w_v)/(C_total + w_s)``, from the TS before [M5].

    ``total`` is the recall count. A memory can be validated without having been recalled: callers
    pass at least the number of validations.
    """
    now = (correct + WEIGHT_VALIDATION) / (total + WEIGHT_TOTAL)
    return ALPHA * before + (1 - ALPHA) * now


def persistence(total: int, incorrect: int) -> float:
    """``PS = C_total/(C_total + λ·C_incorrect)`` [M6]; 1 for a new memory."""
    return total / (total + LAMBDA * incorrect) if total or incorrect else 1.0


def retained(trust: float, persistence: float) -> bool:
    """Whether a memory is kept: TS ≥ TS_init or PS > η·(1 − TS) [M7]."""
    return trust >= TRUST_INITIAL or persistence > ETA * (1 - trust)
