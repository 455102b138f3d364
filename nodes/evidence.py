"""What is kept of passages that were read, and the order that they come in."""

import math

from typing_extensions import TypedDict

from retrievers.search import Hit

FUSED_WEIGHT = 1.0
"""Log-odds that the best place in the fused list is worth beside the reader's."""

_LEAST = 1e-6


def blended(probability: float, fused: float, weight: float = FUSED_WEIGHT) -> float:
    """What passages are ordered by: the reader's log-odds plus the weighed fused score.

    ``fused`` is relative to the best candidate's, in 0..1. Where the reader is sure, it decides;
    where it is not, the lists still have a say.
    """
    sure = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(sure / (1 - sure)) + weight * fused


class Read(TypedDict):
    """A passage that was read, with its relevance and the sentence that comes nearest."""

    id: str
    relevance: float
    start: int
    end: int


class Selected(Hit):
    """A hit that the reader has read.

    ``relevance`` is the probability that the passage answers the question; ``sentences`` are
    [first character, one past the last, probability that a good answer quotes it]; ``polar``
    what the passage says to a yes/no question (``models.reading.POLAR_OUTPUTS``).
    """

    relevance: float
    sentences: list[list[float]]
    polar: dict[str, float]


class Dropped(TypedDict):
    """A sentence that was read and not quoted, and why, with the figure that decided."""

    passage: str
    start: int
    end: int
    why: str
