"""The order of the evidence: what the reader says of each passage, and its place in the lists."""

import math

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
