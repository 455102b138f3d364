"""The best rows of a list of scores: pure functions."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

# A score array is read as this many equal layers. The k-th highest of the maxima over the layers is
# a lower bound of the k-th highest score, so one cheap pass leaves little more than k rows to sort.
LAYERS = 32


class Scored(NamedTuple):
    """A row of the index (from 0) and its score in one list."""

    row: int
    score: float


def padded(size: int) -> int:
    """The length, at least ``size``, of a score array that ``top`` takes."""
    return max(1, -(-size // LAYERS)) * LAYERS


def top(scores: FloatArray, k: int) -> list[Scored]:
    """The ``k`` highest scores above zero, best first, equal scores by row.

    ``scores`` has shape (n,), with n a multiple of ``LAYERS`` (see ``padded``).
    """
    peaks = scores.reshape(LAYERS, -1).max(axis=0)
    floor = np.partition(peaks, -k)[-k] if 0 < k < peaks.size else 0.0
    rows = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    kept = scores[rows]
    order = np.argsort(-kept, kind="stable")[: max(k, 0)]
    return [Scored(*pair) for pair in zip(rows[order].tolist(), kept[order].tolist(), strict=True)]
