"""Whether the sources that are shown speak of the person that a question is about."""

import pytest

from nodes.question.person import ages, allergies, unmentioned

ADULTS = "Ibuprofen eases pain in adults."


@pytest.mark.parametrize(
    ("question", "source", "missing"),
    [
        ("can i take ibuprofen, i am pregnant", ADULTS, ["pregnancy"]),
        ("can i take ibuprofen, i am pregnant", "Avoid ibuprofen in late pregnancy.", []),
        ("is ibuprofen ok while breastfeeding my baby", ADULTS, ["breastfeeding", "children"]),
        ("ibuprofen for a toddler", "Children may take ibuprofen.", []),
        ("i'm on metformin, is ibuprofen ok", ADULTS, ["metformin"]),
        ("i'm on metformin, is ibuprofen ok", "Metformin and ibuprofen may be taken.", []),
        ("taking zovirax, may i drink", "Aciclovir and alcohol do not mix.", []),
        ("Grandmother on warfarin. Can she take ibuprofen?", ADULTS, ["warfarin"]),
        ("she is on warfarin, is ibuprofen ok", "Ibuprofen and Coumadin do not mix.", []),
        ("what is asthma", "Asthma narrows the airways.", []),
        ("what helps with pain", ADULTS, []),
    ],
)
def test_who_is_asked_about_must_be_spoken_of(
    question: str, source: str, missing: list[str]
) -> None:
    assert unmentioned(question, [source]) == missing


def test_one_source_of_several_is_enough() -> None:
    assert unmentioned("i am pregnant", [ADULTS, "Pregnant women need folic acid."]) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("my 6 year old has a cold", [6]),
        ("an 8-month-old and a 3yo", [0, 3]),
        ("a man, 45 years old, or 10 yr old, 12 y/o", [45, 10, 12]),
        ("30 years ago, 5 days, for 2 years", []),
        ("a two year old", []),
        ("My mum is 84 and can't sleep. Dad, 80, too; she's 9.", [84, 80, 9]),
        ("he is 6 feet, it is 90, she is 30 weeks, my dad is 84%", []),
    ],
)
def test_ages_of_anybody_are_read(text: str, found: list[int]) -> None:
    assert ages(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My son is allergic to penicillin. Is aspirin safe?", ["penicillin"]),
        ("she has an allergy to sulfa drugs and peanuts", ["sulfa drugs", "peanuts"]),
        ("a penicillin allergy, can I take Keflex", ["penicillin"]),
        ("allergic to penicillin can he take amoxicillin", ["penicillin"]),
        ("she is not allergic to penicillin, no penicillin allergy", []),
        ("no known allergy to aspirin", []),
        ("allergic to dust", []),
    ],
)
def test_allergies_of_anybody_are_read(text: str, found: list[str]) -> None:
    assert allergies(text) == found
