from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis import SettingError
from anamnesis.memory.scores import (
    FEEDBACK,
    RANKINGS,
    TRUST_INITIAL,
    Facts,
    Weights,
    mrs,
    persistence,
    retained,
    scaled,
    trust,
)

FACTS = st.builds(
    Facts,
    st.integers(0, 500),
    st.floats(0, 3000),
    st.floats(-1, 1),
    st.sampled_from([-1, 0, 1]),
)


def test_every_ranking_of_the_paper_is_there_and_its_weights_add_up_to_one() -> None:
    assert {name: tuple(weights) for name, weights in RANKINGS.items()} == {
        "default": (0.10, 0.15, 0.70, 0.05),
        "freshness": (0.05, 0.35, 0.55, 0.05),
        "popularity": (0.30, 0.05, 0.60, 0.05),
        "feedback-freshness": (0.10, 0.40, 0.10, 0.40),
        "feedback": (0.05, 0.10, 0.55, 0.30),
        "balanced": (0.20, 0.20, 0.50, 0.10),
        "core": (1 / 3, 1 / 3, 1 / 3, 0),
        "similarity": (0, 0, 1, 0),
    }
    for weights in RANKINGS.values():
        assert sum(weights) == pytest.approx(1)


def test_feedback_is_one_nought_or_minus_one() -> None:
    assert FEEDBACK == {"good": 1, "unrated": 0, "bad": -1}


def test_the_score_by_hand() -> None:
    # Terms scaled over the two: recalls 1 and 0, recency 0 and 1, cosine 1 and 0, feedback 0, 1.
    two = [Facts(4, 10, 0.9, 0), Facts(2, 1, 0.5, 1)]
    first, second = mrs(two, RANKINGS["default"])
    assert first == pytest.approx((1.0, 0.80, 0.10, 0.0, 0.70, 0.0))
    assert second == pytest.approx((0.0, 0.20, 0.0, 0.15, 0.0, 0.05))
    _, fresh = mrs(two, RANKINGS["feedback-freshness"])
    assert fresh.mrs == 1.0


def test_the_score_without_scaling_is_the_published_formula() -> None:
    two = [Facts(4, 9.99, 0.9, -1), Facts(2, 0, 0.5, 1)]
    first, second = mrs(two, Weights(0.1, 0.15, 0.7, 0.05), scaling="none")
    assert first.total == pytest.approx(0.4 + 0.015 + 0.63 - 0.05)
    assert second.total == pytest.approx(0.2 + 15 + 0.35 + 0.05)
    assert (first.mrs, second.mrs) == (0.0, 1.0)


@pytest.mark.parametrize(
    "weights", [Weights(1, 1, 0, 0), Weights(0, 0, 0, 0), Weights(-1, 1, 1, 0)]
)
def test_weights_that_do_not_add_up_are_refused(weights: Weights) -> None:
    with pytest.raises(SettingError, match="add up"):
        mrs([Facts(0, 0, 0, 0)], weights)


@given(st.lists(FACTS, max_size=12), st.sampled_from(sorted(RANKINGS)), st.booleans())
def test_scores_lie_between_0_and_1_and_their_parts_add_up(
    facts: list[Facts], name: str, unscaled: bool
) -> None:
    scores = mrs(facts, RANKINGS[name], scaling="none" if unscaled else "min-max")  # type: ignore[index]
    assert len(scores) == len(facts)
    for score in scores:
        assert 0 <= score.mrs <= 1
        assert sum(score[2:]) == pytest.approx(score.total)
    if facts:
        assert max(score.mrs for score in scores) == 1


@given(st.lists(FACTS, min_size=2, max_size=8))
def test_by_similarity_alone_the_nearest_is_first(facts: list[Facts]) -> None:
    scores = mrs(facts, RANKINGS["similarity"])
    best = max(range(len(facts)), key=lambda place: scores[place].mrs)
    assert facts[best].cosine == pytest.approx(max(fact.cosine for fact in facts))


@given(FACTS, st.sampled_from(sorted(RANKINGS)))
def test_more_of_anything_but_age_never_lowers_the_score(facts: Facts, name: str) -> None:
    weights = RANKINGS[name]  # type: ignore[index]
    better = Facts(facts.recalls + 1, facts.days / 2, min(facts.cosine + 0.1, 1), 1)
    worse, more = mrs([facts, better], weights)
    assert more.mrs >= worse.mrs


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=10))
def test_scaling_keeps_the_order(values: list[float]) -> None:
    found = scaled(values)
    assert all(0 <= share <= 1 for share in found)
    order = sorted(range(len(values)), key=values.__getitem__)
    assert all(found[a] <= found[b] for a, b in pairwise(order))


def test_nothing_is_scaled_to_nothing_and_equals_to_one() -> None:
    assert scaled([]) == []
    assert scaled([3.0, 3.0]) == [1.0, 1.0]


# (total, correct, incorrect) → TS, PS, kept: Table 7 of the paper, rows 1, 2, 4 and 5.
@pytest.mark.parametrize(
    ("before", "total", "correct", "incorrect", "ts", "ps"),
    [
        (0.25, 1, 0, 1, 0.24, 0.67),
        (0.24, 2, 0, 2, 0.225, 0.67),
        (0.21, 4, 1, 3, 0.218, 0.72),
        (0.218, 5, 1, 4, 0.219, 0.71),
    ],
)
def test_table_7(
    before: float, total: int, correct: int, incorrect: int, ts: float, ps: float
) -> None:
    now, kept = trust(before, total, correct), persistence(total, incorrect)
    assert now == pytest.approx(ts, abs=0.0006)
    assert kept == pytest.approx(ps, abs=0.008)  # the paper cuts .727 to .72
    assert retained(now, kept)


def test_row_3_of_table_7_is_not_what_the_formula_gives() -> None:
    # The paper prints a threshold of .66 and keeps it; η·(1 − TS) is .672, above its PS of .667.
    now, kept = trust(0.225, 3, 0), persistence(3, 3)
    assert now == pytest.approx(0.21, abs=0.002)
    assert kept == pytest.approx(0.667, abs=0.0004)
    assert 0.85 * (1 - now) == pytest.approx(0.672, abs=0.001)
    assert not retained(now, kept)


def test_row_50_of_table_7_is_dropped() -> None:
    kept = persistence(50, 45)
    assert kept == pytest.approx(0.69, abs=0.001)
    assert not retained(0.18, kept)


def test_trust_begins_at_a_quarter_and_what_is_trusted_is_kept() -> None:
    assert TRUST_INITIAL == 0.25
    assert retained(TRUST_INITIAL, 0.0)
    assert persistence(0, 0) == 1.0


@given(st.floats(0, 1), st.integers(0, 200), st.integers(0, 200))
def test_trust_stays_between_0_and_1(before: float, correct: int, incorrect: int) -> None:
    assert 0 <= trust(before, correct + incorrect, correct) <= 1


@given(st.floats(0, 1), st.integers(1, 100))
def test_a_correct_validation_never_lowers_trust_against_a_wrong_one(
    before: float, total: int
) -> None:
    assert trust(before, total, 1) > trust(before, total, 0)
