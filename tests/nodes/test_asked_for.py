import pytest

from nodes.asked_for import announced, completed
from nodes.units import stands_alone

SIGNS = "What are the signs of gout?"


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        (SIGNS, "Fever.", "The signs of gout include: fever."),
        (SIGNS, "Fever, pain, and a rash", "The signs of gout include: fever, pain, and a rash"),
        (
            "what are early signs of Parkinson's disease",
            "Tremor",
            "Early signs of Parkinson's disease include: tremor",
        ),
        (SIGNS, "Crohn's disease", "The signs of gout include: Crohn's disease"),
        ("Who is at risk for glaucoma?", "Smokers.", "At risk for glaucoma are: smokers."),
        ("Who is at high risk of gout?", "Old men", "At high risk of gout are: old men"),
    ],
)
def test_names_are_told_with_what_was_asked_for(question: str, answer: str, told: str) -> None:
    assert completed(question, answer) == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (SIGNS, "Gout causes fever."),
        (SIGNS, "Gout strikes the big toe."),
        (SIGNS, "Attacks usually begin at night."),
        (SIGNS, "Signs: fever, pain"),
        (SIGNS, "Signs of gout."),
        (SIGNS, ""),
        (SIGNS, "pain that comes at night and spares all of the other joints"),
        ("What are the signs of gout and how is it treated?", "Colchicine"),
        ("How is gout treated?", "Colchicine"),
        ("What causes gout?", "Uric acid"),
        ("What are you?", "A robot that can speak"),
    ],
)
def test_claims_and_answers_to_other_questions_are_left(question: str, answer: str) -> None:
    assert completed(question, answer) == answer


def test_what_is_told_is_a_claim_once_and_for_all() -> None:
    told = completed(SIGNS, "Fever.")
    assert completed(SIGNS, told) == told
    assert not stands_alone("Fever.")


def test_an_item_loses_its_capital_unless_it_is_a_name() -> None:
    assert announced("Causes are:", "Smoking") == "Causes are: smoking"
    assert announced("Causes are:", "HIV") == "Causes are: HIV"
    assert announced("Causes are:", "Addison’s disease") == "Causes are: Addison’s disease"
