"""Metrics of labels and probabilities: pure functions [S4, S8].

A label is its index in ``anamnesis.entailment.LABELS``; arrays of labels and probabilities have
shape (n,). Undefined values, such as the precision of a label that was never predicted, are NaN.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

BINS = 15


def three_way(support: Floats, contradiction: Floats) -> Floats:
    """Probabilities of the three labels, shape (n, 3), rows adding up to 1.

    Neutral is the remainder. A critic that reads in windows gives the maximum of each of the two
    over its windows, so their sum can exceed 1: then neutral is 0 and the two are scaled down.
    """
    for_it, against = np.clip(support, 0, 1), np.clip(contradiction, 0, 1)
    rows = np.stack([for_it, np.maximum(0, 1 - for_it - against), against], axis=1)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def accuracy(labels: Labels, predicted: Labels) -> float:
    """The share of labels that were predicted correctly."""
    return float((labels == predicted).mean())


def precision_recall_f1(labels: Labels, predicted: Labels, label: int) -> tuple[float, ...]:
    """Precision, recall and F1 of one label.

    NaN: the precision of a label never predicted, the recall of one that never occurs, and the F1
    of one that does neither.
    """
    found, true = predicted == label, labels == label
    right = int(np.count_nonzero(found & true))
    positives, there = int(np.count_nonzero(found)), int(np.count_nonzero(true))
    return _share(right, positives), _share(right, there), _share(2 * right, positives + there)


def macro_f1(labels: Labels, predicted: Labels) -> float:
    """The mean F1 of the labels that occur."""
    f1 = [precision_recall_f1(labels, predicted, int(item))[2] for item in np.unique(labels)]
    return float(np.mean(f1))


def auroc(positive: npt.NDArray[np.bool_], score: Floats) -> float:
    """How often a positive scores higher than a negative, ties counting as half (Mann-Whitney).

    NaN if all are positive or none is.
    """
    positives = int(positive.sum())
    negatives = len(positive) - positives
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]  # from 1; the mean rank for equal scores
    above = float(ranks[positive].sum()) - positives * (positives + 1) / 2
    return _share(above, positives * negatives)


def calibration_error(
    confidence: Floats, correct: npt.NDArray[np.bool_], bins: int = BINS
) -> float:
    """Expected calibration error (Naeini et al. 2015).

    The mean gap between confidence and share of correct predictions in ``bins`` equally wide bins
    of 0..1, weighted by their size. A bin includes its lower border, the last one also 1.
    """
    place = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(place, confidence - correct, bins)
    return float(np.abs(gaps).sum() / len(confidence))


def brier(positive: npt.NDArray[np.bool_], probability: Floats) -> float:
    """The mean squared difference of probability and outcome (Brier 1950)."""
    return float(((probability - positive) ** 2).mean())


def coverage_and_risk(
    positive: npt.NDArray[np.bool_], score: Floats, threshold: float
) -> tuple[float, float]:
    """The share accepted, with a score of at least ``threshold``, and the negatives among these.

    The risk is NaN if nothing is accepted.
    """
    accepted = score >= threshold
    wrong = int((accepted & ~positive).sum())
    return float(accepted.mean()), _share(wrong, int(accepted.sum()))


def risk_coverage_area(positive: npt.NDArray[np.bool_], score: Floats) -> float:
    """Area under the risk-coverage curve: the mean risk of accepting the best 1, 2, … n.

    Among equal scores the risk is that of an average order (Geifman et al. 2019).
    """
    _, place, counts = np.unique(-score, return_inverse=True, return_counts=True)
    wrong = np.bincount(place, ~positive) / counts
    risks = np.cumsum(np.repeat(wrong, counts)) / np.arange(1, len(score) + 1)
    return float(risks.mean())


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
