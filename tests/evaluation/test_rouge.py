import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from evaluation.wording import rouge_l

SCORER = RougeScorer(["rougeL"])
texts = st.lists(st.sampled_from("a fever of 3 days, not\u00e9 Fever 3.5".split()), max_size=12)


@given(texts, texts)
@settings(max_examples=200)
def test_rouge_l_is_that_of_rouge_score(one: list[str], other: list[str]) -> None:
    reference, text = " ".join(one), " ".join(other)
    expected = SCORER.score(reference, text)["rougeL"].fmeasure
    assert rouge_l(reference, text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reference", "text", "value"),
    [
        ("the cat sat on the mat", "the cat is on the mat", 10 / 12),  # five words of six in order
        ("Gout hurts.", "gout hurts", 1),
        ("a b c d", "d c b a", 0.25),
        ("", "gout", 0),
        ("gout", "", 0),
    ],
)
def test_rouge_l_by_hand(reference: str, text: str, value: float) -> None:
    assert rouge_l(reference, text) == pytest.approx(value)
