import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.followup import stand_alone, topic_of

PREVIOUS = "What are the symptoms of asthma?"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How is it treated?", "How is asthma treated?"),
        ("What are its causes?", "What are asthma's causes?"),
        ("Is this condition contagious?", "Is asthma contagious?"),
        ("And in children?", "What are the symptoms of asthma in children?"),
        ("What about older adults?", "What are the symptoms of asthma for older adults?"),
        ("What about treatment?", "Treatment: asthma?"),
        ("Is there a cure?", "asthma: Is there a cure?"),
        ("Can I take ibuprofen with it?", "asthma: Can I take ibuprofen with it?"),
        ("Why?", "asthma: Why?"),
        ("How do they diagnose it?", "How do they diagnose asthma?"),
        ("Which doctor should I see?", "asthma: Which doctor should I see?"),
        ("How can I prevent an attack?", "asthma: How can I prevent an attack?"),
        ("Is this medicine safe?", "asthma: Is this medicine safe?"),
        ("Is it ok to eat fish if I have that?", "asthma: Is it ok to eat fish if I have that?"),
    ],
)
def test_a_follow_up_gets_its_topic(question: str, expected: str) -> None:
    assert stand_alone(question, PREVIOUS, "asthma") == expected


@pytest.mark.parametrize(
    "question",
    [
        "What is diabetes?",
        "How long does it take for antibiotics to work?",
        "Is it safe to take ibuprofen with paracetamol?",
        "My doctor says that I have gout, what should I eat?",
        "What are the side effects of metformin?",
        "What is diabetes and how is it treated?",
        "I have gout. What should I do about it?",
        "What is the flu? Is it the same as a cold?",
        "My knee hurts, what could this be?",
    ],
)
def test_a_question_with_its_own_topic_stays_as_it_is(question: str) -> None:
    assert stand_alone(question, PREVIOUS, "asthma") == question


@given(st.text(max_size=80))
def test_the_first_question_of_a_thread_stays_as_it_is(question: str) -> None:
    assert stand_alone(question, "", "") == question.strip()


@given(st.text(max_size=80))
def test_no_follow_up_raises_or_loses_the_question_wholly(question: str) -> None:
    assert stand_alone(question, PREVIOUS, "asthma") or not question.strip()


def test_the_topic_is_the_first_focus_that_the_question_names() -> None:
    focuses = ["COPD (chronic lung disease)", "Asthma", "Asthma in children"]
    assert topic_of("What are the symptoms of asthma?", focuses) == "Asthma"
    assert topic_of("How is COPD treated?", focuses) == "COPD"


def test_without_a_matching_focus_the_topic_is_the_questions_own_words() -> None:
    assert topic_of("What are the symptoms of scurvy?", ["Asthma"]) == "scurvy"
