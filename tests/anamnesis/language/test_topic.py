"""The topic of a question, and how much two texts share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from anamnesis.language.topic import names, overlap, own_terms, repeated

QUESTIONS = [record.question for record in read_starter()]


def test_overlap_is_a_share_of_the_shorter_text() -> None:
    assert overlap("gout hurts", "gout hurts the big toe") == 1.0
    assert overlap("gout hurts", "asthma narrows airways") == 0.0
    assert overlap("", "gout") == 0.0


def test_a_text_with_another_number_is_no_repetition() -> None:
    early = "Pills with levonorgestrel are taken within 3 days."
    assert repeated("Levonorgestrel pills are taken within 3 days.", [early]) == 1.0
    assert repeated("Pills with ulipristal are taken within 5 days.", [early]) == 0.0
    assert repeated("Pills with levonorgestrel are taken early.", [early, "Asthma"]) > 0.7


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What are the symptoms of ovarian cancer?", ["ovarian", "cancer"]),
        ("How is hypothyroidism treated?", ["hypothyroidism"]),
        ("What are the symptoms of a urinary tract infection?", ["urinary", "tract"]),
        ("What triggers migraines and how can they be prevented?", ["triggers", "migraines"]),
        ("What are the side effects of ibuprofen?", ["ibuprofen"]),
        ("Should older women take it?", []),
    ],
)
def test_aspects_of_a_topic_do_not_name_it(question: str, topic: list[str]) -> None:
    assert own_terms(question) == topic


@pytest.mark.parametrize(
    ("text", "topic", "named"),
    [
        ("Is prostate cancer common in old men?", "Prostate cancer", True),
        ("Do kidney stones pass by themselves?", "Kidney stone", True),
        ("Is cancer common in old men?", "Prostate cancer", False),
        ("Is a stone painful?", "Kidney stones", False),
    ],
)
def test_a_text_names_a_topic_by_all_of_its_words(text: str, topic: str, named: bool) -> None:
    assert names(text, topic) is named


@given(st.sampled_from(QUESTIONS), st.sampled_from(QUESTIONS))
def test_overlap_is_mutual_and_a_part_shares_everything(one: str, other: str) -> None:
    assert overlap(one, other) == overlap(other, one)
    assert 0 <= overlap(one, other) <= 1
    assert overlap(one, f"{other} {one}") == 1
