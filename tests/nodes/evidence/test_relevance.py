"""The order and the relevance of the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.models.reading import Reading, log_odds
from nodes.evidence.relevance import (
    FUSED_WEIGHT,
    OWN,
    Weights,
    blended,
    combined_log_odds,
    relevance,
)

CHANCES = st.floats(0, 1)
SCORES = st.floats(0, 40)


def read(chance: float) -> Reading:
    return Reading(chance, (), {})


def test_a_sure_reader_decides_and_an_unsure_one_lets_the_lists_speak() -> None:
    assert blended(0.5, 0.0) == 0.0
    assert blended(0.5, 1.0) == FUSED_WEIGHT
    assert blended(0.999, 0.0) > blended(0.2, 1.0)
    assert blended(0.55, 0.2) < blended(0.45, 1.0)


@given(CHANCES, CHANCES, CHANCES)
def test_blending_keeps_the_order_of_each_part(one: float, other: float, fused: float) -> None:
    low, high = sorted((one, other))
    assert blended(low, fused) <= blended(high, fused)
    assert blended(fused, low) <= blended(fused, high)


def test_reader_and_lists_are_weighed_together_in_log_odds() -> None:
    weights = Weights(reader=0.5, fused=0.25, shift=-3.0, alone=1.0)
    assert combined_log_odds(read(0.5), 8.0, weights) == pytest.approx(-1.0)
    assert combined_log_odds(read(1 / (1 + 2.718281828459045**-2)), 8.0, weights) == pytest.approx(
        0.0
    )


def test_a_passage_is_relevant_only_if_the_reader_alone_and_both_together_say_so() -> None:
    sure = 0.999
    assert relevance(read(sure), 30.0) > 0.5
    assert relevance(read(0.4), 30.0) < 0.5
    assert relevance(read(sure), -20.0) < 0.5


@given(CHANCES, CHANCES, SCORES, SCORES)
def test_relevance_rises_with_the_reader_and_with_the_lists(
    one: float, other: float, score: float, more: float
) -> None:
    low, high = sorted((one, other))
    worse, better = sorted((score, more))
    assert relevance(read(low), worse) <= relevance(read(high), better)
    assert 0 <= relevance(read(low), worse) <= 1
    assert OWN.reader > 0
    assert OWN.fused > 0


@given(CHANCES)
def test_log_odds_are_finite(chance: float) -> None:
    assert abs(log_odds(chance)) < 20
