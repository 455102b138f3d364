from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from evaluation.classification import (
    accuracy,
    auroc,
    brier,
    calibration_error,
    coverage_and_risk,
    macro_f1,
    precision_recall_f1,
    risk_coverage_area,
    three_way,
)

# Few distinct scores, so that there are ties.
judged = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=40)
probability = st.floats(0, 1)

LABELS = np.array([0, 0, 0, 1, 1, 2])
PREDICTED = np.array([0, 0, 1, 1, 2, 0])


def floats(*values: float) -> npt.NDArray[np.float64]:
    return np.array(values, np.float64)


def truths(*values: int) -> npt.NDArray[np.bool_]:
    return np.array(values, np.bool_)


def test_what_support_and_contradiction_leave_over_is_neutral() -> None:
    rows = three_way(floats(0.5, 0.0, 0.9), floats(0.2, 0.0, 0.6))
    expected = [[0.5, 0.3, 0.2], [0, 1, 0], [0.6, 0, 0.4]]
    assert rows == pytest.approx(np.array(expected))


@given(st.lists(st.tuples(probability, probability), min_size=1))
def test_three_way_probabilities_add_up_to_1(pairs: list[tuple[float, float]]) -> None:
    support, contradiction = (floats(*column) for column in zip(*pairs, strict=True))
    rows = three_way(support, contradiction)
    assert (rows >= 0).all()
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(pairs)))


def test_accuracy_precision_recall_and_f1_by_hand() -> None:
    assert accuracy(LABELS, PREDICTED) == 0.5
    assert precision_recall_f1(LABELS, PREDICTED, 0) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert precision_recall_f1(LABELS, PREDICTED, 1) == (0.5, 0.5, 0.5)
    assert precision_recall_f1(LABELS, PREDICTED, 2) == (0, 0, 0)
    assert macro_f1(LABELS, PREDICTED) == pytest.approx((2 / 3 + 0.5 + 0) / 3)


def test_what_is_never_predicted_has_no_precision_and_what_never_occurs_no_recall() -> None:
    labels, predicted = np.array([0, 0]), np.array([0, 1])
    precision, recall, f1 = precision_recall_f1(labels, predicted, 1)
    assert (precision, f1) == (0, 0)
    assert np.isnan(recall)
    assert np.isnan(precision_recall_f1(labels, predicted, 2)).all()
    assert np.isnan(precision_recall_f1(predicted, labels, 1)[0])


def test_macro_f1_is_over_the_labels_that_occur() -> None:
    # The prediction of a label that does not occur is an error of the one that does.
    assert macro_f1(np.array([0, 0]), np.array([0, 1])) == pytest.approx(2 / 3)


def test_auroc_by_hand() -> None:
    assert auroc(truths(1, 1, 0, 0), floats(4, 2, 3, 1)) == 0.75
    assert auroc(truths(1, 0), floats(1, 1)) == 0.5
    assert np.isnan(auroc(truths(1, 1), floats(1, 2)))
    assert np.isnan(auroc(truths(0), floats(1)))


@given(judged)
def test_auroc_is_the_share_of_pairs_in_the_right_order(pairs: list[tuple[bool, int]]) -> None:
    above = [score for right, score in pairs if right]
    below = [score for right, score in pairs if not right]
    found = auroc(truths(*(right for right, _ in pairs)), floats(*(score for _, score in pairs)))
    if not above or not below:
        assert np.isnan(found)
    else:
        wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in above for b in below]
        assert found == pytest.approx(np.mean(wins))


def test_the_calibration_error_is_0_where_confidence_is_the_share_of_right() -> None:
    confidence = floats(*[0.75] * 4, *[0.5] * 2, 1.0)
    assert calibration_error(confidence, truths(1, 1, 1, 0, 1, 0, 1)) == pytest.approx(0)


def test_the_calibration_error_weighs_the_gaps_of_the_bins_by_their_size() -> None:
    # Two bins: [0, .5) with a gap of .4 in one of three, [.5, 1] with one of |.8 - .5|.
    found = calibration_error(floats(0.4, 0.7, 0.9), truths(0, 1, 0), bins=2)
    assert found == pytest.approx((0.4 + 0.6) / 3)
    # Of opposite sign in one bin they cancel, in two they do not.
    assert calibration_error(floats(0.7, 0.9), truths(1, 0), bins=10) == pytest.approx(0.6)


@given(st.lists(st.tuples(probability, st.booleans()), min_size=1))
def test_calibration_error_and_brier_lie_in_0_to_1(pairs: list[tuple[float, bool]]) -> None:
    confidence, correct = floats(*(p for p, _ in pairs)), truths(*(right for _, right in pairs))
    assert 0 <= calibration_error(confidence, correct) <= 1
    assert 0 <= brier(correct, confidence) <= 1


def test_brier_is_the_mean_squared_distance() -> None:
    assert brier(truths(1, 0), floats(0.9, 0.2)) == pytest.approx((0.01 + 0.04) / 2)


def test_coverage_and_risk_at_a_threshold() -> None:
    positive, score = truths(1, 0, 1, 0), floats(0.9, 0.7, 0.7, 0.1)
    assert coverage_and_risk(positive, score, 0.7) == (0.75, pytest.approx(1 / 3))
    assert coverage_and_risk(positive, score, 0.8) == (0.25, 0)
    coverage, risk = coverage_and_risk(positive, score, 0.95)
    assert coverage == 0
    assert np.isnan(risk)


def test_the_area_under_the_risk_coverage_curve_by_hand() -> None:
    # Risks of accepting 1, 2 and 3: 0, 1/2, 1/3.
    found = risk_coverage_area(truths(1, 0, 1), floats(0.9, 0.8, 0.1))
    assert found == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    # Equal scores: half an error each, in whatever order they come.
    tied = risk_coverage_area(truths(0, 1, 1), floats(0.8, 0.8, 0.1))
    assert tied == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)


@given(judged, st.randoms())
def test_the_order_of_the_data_changes_no_area(
    pairs: list[tuple[bool, int]], random: Random
) -> None:
    mixed = random.sample(pairs, len(pairs))
    areas = [
        risk_coverage_area(truths(*(a for a, _ in numbers)), floats(*(b for _, b in numbers)))
        for numbers in (pairs, mixed)
    ]
    assert areas[0] == pytest.approx(areas[1])
    assert 0 <= areas[0] <= 1


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_labels_are_measured_as_scikit_learn_does(pairs: list[tuple[int, int]]) -> None:
    labels, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    present = np.unique(labels)
    scores = sklearn_metrics.precision_recall_fscore_support(
        labels, predicted, labels=present, zero_division=np.nan
    )
    assert accuracy(labels, predicted) == sklearn_metrics.accuracy_score(labels, predicted)
    for place, label in enumerate(present):
        found = precision_recall_f1(labels, predicted, int(label))
        assert found == pytest.approx([scores[kind][place] for kind in range(3)], nan_ok=True)
    assert macro_f1(labels, predicted) == pytest.approx(scores[2].mean())


@given(judged)
def test_probabilities_are_measured_as_scikit_learn_does(rows: list[tuple[bool, int]]) -> None:
    positive = np.array([label for label, _ in rows])
    score = np.array([number / 4 for _, number in rows])
    assert brier(positive, score) == pytest.approx(
        sklearn_metrics.brier_score_loss(positive, score, pos_label=True)
    )
    if positive.any() and not positive.all():
        assert auroc(positive, score) == pytest.approx(
            sklearn_metrics.roc_auc_score(positive, score)
        )
