"""Metrics of wording: hand-computed values, and the reference implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.wording import bertscore, coverage, key_points, parts, rouge_l

WORDS = st.lists(st.sampled_from("the cat sat on a 5-mg mat! Äpfel".split()), max_size=12)


def test_rouge_l_is_that_of_the_longest_common_subsequence() -> None:
    # "the cat": 2 of 3 words and 2 of 4.
    assert rouge_l("The cat sat", "the cat ate fish") == pytest.approx(4 / 7)
    assert rouge_l("fish ate cat", "the cat ate fish") == pytest.approx(2 / 7)
    assert rouge_l("", "the cat") == rouge_l("…", "the cat") == rouge_l("cat", "") == 0


@given(WORDS, WORDS)
def test_rouge_l_equals_the_reference(one: list[str], other: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer  # with NLTK, a second for every process

    candidate, reference = " ".join(one), " ".join(other)
    scored = RougeScorer(["rougeL"]).score(reference, candidate)["rougeL"].fmeasure
    assert rouge_l(candidate, reference) == pytest.approx(scored)


def test_bertscore_matches_each_token_to_the_nearest() -> None:
    candidate = np.array([[1, 0], [0, 1]], np.float32)
    reference = np.array([[1, 0], [0.6, 0.8], [0, -1]], np.float32)
    # The candidate's nearest are at 1 and .8, the reference's at 1, .8 and 0.
    assert bertscore(candidate, reference) == pytest.approx((0.9, 0.6, 0.72))
    assert bertscore(reference, candidate) == pytest.approx((0.6, 0.9, 0.72))
    assert bertscore(candidate, candidate) == pytest.approx((1, 1, 1))


def test_bertscore_of_nothing_is_nothing() -> None:
    some, none = np.ones((1, 2), np.float32), np.empty((0, 2), np.float32)
    assert bertscore(some, none) == bertscore(none, some) == (0, 0, 0)


EXPECTED = "Aspirin treats fever."


def test_a_perfect_match_of_four_sentences_covers_all_and_scores_a_quarter_as_printed() -> None:
    found = coverage(EXPECTED, EXPECTED, np.eye(4, dtype=np.float32))
    assert found == pytest.approx((1, 0.25, 1, 1))


def test_coverage_counts_what_is_highly_similar() -> None:
    cosines = np.array([[0.7, 0.69, 0.9], [0.8, 0, 0]], np.float64)
    found = coverage("Fever is treated by ibuprofen.", EXPECTED, cosines)
    # Two of three expected sentences; 2 and 1 of them for each of two; two of three key points.
    assert found == pytest.approx((2 / 3, 0.5, 2 / 3, 2 / 3))
    other = coverage("Fever is treated by ibuprofen.", EXPECTED, cosines, similar=0.9)
    assert other == pytest.approx((1 / 3, 1 / 6, 2 / 3, 0.1 / 3 + 0.9 * 2 / 3))
    assert coverage("Fever.", EXPECTED, cosines, alpha=0.5).aics == pytest.approx(0.5)


def test_an_empty_response_covers_nothing() -> None:
    assert coverage("", EXPECTED, np.empty((0, 1), np.float32)) == (0, 0, 0, 0)
    assert coverage("It is.", "It is.", np.ones((1, 1), np.float32)).kpcs == 0


def test_key_points_are_the_words_that_carry_meaning_and_numbers() -> None:
    assert key_points("The kidneys are treated with 5 mg.") == key_points("kidney treating 5 mg")
    assert key_points("It is not so.") == frozenset()


def test_parts_are_sentences() -> None:
    assert parts("Dr. Who has gout. He rests.") == ["Dr. Who has gout.", "He rests."]
