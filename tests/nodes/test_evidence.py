import math

from hypothesis import given
from hypothesis import strategies as st

from corpus.passage import Passage
from nodes.evidence import FUSED_WEIGHT, blended, coverage, evidence_score

PASSAGE = Passage(
    "a#0",
    "a",
    0,
    0,
    "Wheezing is common.",
    title="Asthma",
    question="What are the symptoms of asthma?",
)


def rare(term: str) -> float:
    return {"asthma": 3.0, "symptoms": 1.0}.get(term, 4.0)


def test_coverage_is_the_idf_share_of_the_questions_words() -> None:
    # A word that asks something of the topic counts half.
    assert coverage("symptoms of asthma", "asthma", rare) == 3 / 3.5
    assert coverage("symptoms of asthma", "Asthma: a symptom", rare) == 1.0
    assert coverage("symptoms of zorblax", "symptoms", rare) == 0.5 / 4.5
    assert coverage("what is it", "anything", rare) == 1.0


def test_the_score_is_the_coverage_times_the_root_of_the_similarity() -> None:
    assert evidence_score("asthma", PASSAGE, rare, 0.81) == 0.9
    assert evidence_score("gout", PASSAGE, rare, 0.81) == 0.0
    assert evidence_score("asthma", PASSAGE, rare, None) == 1.0
    assert evidence_score("asthma gout", PASSAGE, rare, 0.5) == round(math.sqrt(0.5) * 3 / 7, 4)


@given(st.text(max_size=60), st.floats(-1, 1))
def test_the_score_is_a_share(question: str, similarity: float) -> None:
    assert 0 <= evidence_score(question, PASSAGE, rare, similarity) <= 1


def test_a_sure_cross_encoder_decides_and_an_unsure_one_lets_the_lists_speak() -> None:
    assert blended(0.5, 0.0) == 0.0
    assert blended(0.5, 1.0) == FUSED_WEIGHT
    assert blended(0.99, 0.0) > blended(0.2, 1.0)
    assert blended(0.6, 0.2) < blended(0.4, 1.0)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_blending_keeps_the_order_of_each_part(one: float, other: float, fused: float) -> None:
    low, high = sorted((one, other))
    assert blended(low, fused) <= blended(high, fused)
    assert blended(fused, low) <= blended(fused, high)
