import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.asked_for import completed

SIGNS = "What are the signs of gout?"
LED = "The signs of gout include:"


@pytest.mark.parametrize(
    "names",
    [
        "Fever.",
        "Fever, pain, and a rash",
        "Crohn's disease",
        "Mood changes, blood tests",
        "Sudden numbness of the face; trouble walking",
        "Down syndrome",
        "Hepatitis B, vitamin D deficiency",
    ],
)
def test_names_are_told_with_what_was_asked_for(names: str) -> None:
    assert completed(SIGNS, names) == f"{LED} {names}"


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("what are early signs of Parkinson's disease", "Early signs of Parkinson's disease"),
        ("What are the side effects of aspirin?", "The side effects of aspirin"),
        ("What are the treatments for gout ?", "The treatments for gout"),
        ("What are the signs and symptoms of gout?", "The signs and symptoms of gout"),
        ("What are the most common causes of knee pain?", "The most common causes of knee pain"),
    ],
)
def test_signs_causes_and_their_like_can_be_asked_for(question: str, lead: str) -> None:
    assert completed(question, "Fever") == f"{lead} include: Fever"


@pytest.mark.parametrize(
    "answer",
    [
        "", " ", ",;,", "—", "Gout causes fever.", "Gout strikes the big toe.",
        "Signs: fever, pain", "Attacks usually begin at night.", "Signs of gout.", "None.",
        "Usually none.", "Nothing.",
        "No fever.", "Fever isn't.", "Never.", "N/A", "Unknown.", "See a doctor.", "Drink water.",
        "Thank you.", "Yes, fever.", "Maybe.", "True", "Many.", "Both.", "B.", "It hurts.",
        "They're painful.", "Fever. See a doctor.", "The document says fever", "Often fever.",
        "pain that comes at night and spares all of the other joints", "I am sorry.",
    ],
)  # fmt: skip
def test_what_is_more_or_less_than_names_is_left(answer: str) -> None:
    assert completed(SIGNS, answer) == answer


@pytest.mark.parametrize(
    "question",
    [
        "How is gout treated?",
        "What causes gout?",
        "Who is at risk for gout?",
        "What are viruses?",
        "What are you?",
        "What are the odds of dying from sepsis?",
        "What are antibiotics used for?",
        "What are ACE inhibitors contraindicated in?",
        "What are the signs of gout and how is it treated?",
        "What are the signs of gout and of lupus?",
        "What are the symptoms and treatments of gout?",
        "What are all the causes of gout?",
        "What are the only treatments for gout?",
        "What are the signs of gout? I am 40.",
        "What are the symptoms of gout versus pseudogout?",
        "What are the symptoms of gout not caused by food?",
        "What are the symptoms of my gout?",
        "What are the benefits of drinking bleach?",
    ],
)
def test_other_questions_are_left(question: str) -> None:
    assert completed(question, "Fever") == "Fever"


@given(st.text(max_size=40), st.text(max_size=40))
def test_nothing_is_lost_and_nothing_is_told_twice(question: str, answer: str) -> None:
    for asked in (question, SIGNS):
        told = completed(asked, answer)
        assert told.endswith(answer)
        assert completed(asked, told) == told
