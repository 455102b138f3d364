import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from nodes.question.followup import points_back, stand_alone, topic_of, without_references

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
        ("What about beer?", "asthma: What about beer?"),
        ("Yes, but in children?", "What are the symptoms of asthma in children?"),
        ("Thanks. And when pregnant?", "What are the symptoms of asthma when pregnant?"),
        ("and with a cold?", "What are the symptoms of asthma with a cold?"),
        ("Why is that?", "asthma: Why is that?"),
        ("Is that contagious?", "asthma: Is that contagious?"),
        ("How long do they last?", "How long do the symptoms of asthma last?"),
        ("How do these symptoms start?", "How do asthma symptoms start?"),
        ("What happens if I miss a dose?", "asthma: What happens if I miss a dose?"),
        ("Is the surgery dangerous?", "asthma: Is the surgery dangerous?"),
        ("What can I take for the cough?", "asthma: What can I take for the cough?"),
        ("Any creams?", "asthma: Any creams?"),
        ("Can the sun help?", "asthma: Can the sun help?"),
        ("Why don't they work?", "asthma: Why don't they work?"),
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
        "And what are the signs of a stroke?",
        "And when is gout dangerous?",
        "I have gout. What will help?",
        "I have bad knee pain",
        "And?",
    ],
)
def test_a_question_with_its_own_topic_stays_as_it_is(question: str) -> None:
    assert stand_alone(question, PREVIOUS, "asthma") == question


@pytest.mark.parametrize(
    ("question", "previous", "topic", "expected"),
    [
        ("And type 1?", "Can type 2 diabetes be reversed?", "Type 2 diabetes",
         "Can type 1 diabetes be reversed?"),
        ("and hepatitis C?", "How is hepatitis B spread?", "Hepatitis B",
         "How is hepatitis C spread?"),
        ("What about skin cancer?", "What are the signs of breast cancer?", "Breast cancer",
         "What are the signs of skin cancer?"),
        ("And for colds?", "Is aspirin good for flu?", "Aspirin", "Is aspirin good for colds?"),
        ("And children?", "What is the dose of aspirin for adults?", "Aspirin",
         "What is the dose of aspirin for children?"),
        ("And with paracetamol?", "How often can I take ibuprofen?", "Ibuprofen",
         "How often can I take ibuprofen with paracetamol?"),
        ("Or aspirin instead?", "Can I take ibuprofen?", "Ibuprofen",
         "Ibuprofen: Or aspirin instead?"),
        # A disease has no side effects.
        ("Does it have side effects?", "Is there a vaccine for measles?", "Measles",
         "Measles vaccine: Does it have side effects?"),
        ("What about the side effects?", "How is gout treated?", "Gout",
         "Gout treatment: What about the side effects?"),
        ("How big do they get?", "What are the symptoms of kidney stones?", "Kidney stones",
         "How big do Kidney stones get?"),
    ],
)  # fmt: skip
def test_a_follow_up_takes_from_the_question_before(
    question: str, previous: str, topic: str, expected: str
) -> None:
    assert stand_alone(question, previous, topic) == expected


def test_a_question_points_back_if_it_leaves_out_what_it_is_about() -> None:
    assert points_back("How is it treated?")
    assert points_back("And in children?")
    assert not points_back("How is gout treated?")
    assert not points_back("I have gout. What should I do about it?")


def test_referring_words_are_taken_out_with_their_noun() -> None:
    assert without_references("Is this drug safe with it?").split() == ["Is", "safe", "with", "?"]


@given(st.text(max_size=80))
def test_the_first_question_of_a_thread_stays_as_it_is(question: str) -> None:
    assert stand_alone(question, "", "") == question.strip()


@given(st.text(max_size=80))
def test_no_follow_up_raises_or_loses_the_question_wholly(question: str) -> None:
    assert stand_alone(question, PREVIOUS, "asthma") or not question.strip()


def test_the_topic_is_the_first_focus_that_the_question_names() -> None:
    focuses = ["COPD (chronic lung disease)", "Asthma", "Asthma in children"]
    assert topic_of("What are the symptoms of asthma?", focuses) == "asthma"
    assert topic_of("Is childhood asthma common?", [focuses[2]]) == "Asthma in children"
    assert topic_of("How is COPD treated?", focuses) == "COPD"


def test_without_a_matching_focus_the_topic_is_the_questions_own_words() -> None:
    assert topic_of("What are the symptoms of scurvy?", ["Asthma"]) == "scurvy"


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("How is type 2 diabetes treated?", "type 2 diabetes"),
        ("How is neurofibromatosis type 2 inherited?", "neurofibromatosis type 2"),
        ("Is hepatitis B contagious?", "hepatitis b"),
    ],
)
def test_a_topic_keeps_its_number_in_a_series(question: str, topic: str) -> None:
    assert topic_of(question, []) == topic


def test_a_starter_question_stands_alone_and_comes_back_from_one_that_refers_to_it() -> None:
    """Of 147 and 146 that name their topic, 145 and 144 stand alone, and 144 and 143 come back."""
    alone, back = [], []
    for record in read_starter():
        topic = re.sub(r" ?\([^()]*\)", "", record.focus)
        named = re.compile(rf"\b(?:an? |the )?{re.escape(topic)}\b", re.IGNORECASE)
        if not named.search(record.question) or re.search(r"[,?] |\band \w+ ", record.question):
            continue
        alone.append(not points_back(record.question))
        refers = named.sub("it", record.question, count=1)
        completed = stand_alone(refers, f"What is {topic}?", topic)
        back.append(named.search(completed) is not None)
    assert len(alone) > 200
    assert sum(alone) > 0.96 * len(alone)
    assert sum(back) > 0.96 * len(back)
