"""Whether the sources that are shown speak of the person that a question is about."""

import pytest

from nodes.question.person import unmentioned, unmentioned_contents

ADULTS = "Ibuprofen eases pain in adults."


@pytest.mark.parametrize(
    ("question", "source", "missing"),
    [
        ("can i take ibuprofen, i am pregnant", ADULTS, ["pregnancy"]),
        ("can i take ibuprofen, i am pregnant", "Avoid ibuprofen in late pregnancy.", []),
        ("is ibuprofen ok while breastfeeding my baby", ADULTS, ["breastfeeding", "children"]),
        ("ibuprofen for a toddler", "Children may take ibuprofen.", []),
        ("can i take baby aspirin with food", ADULTS, []),
        ("i am not pregnant, is ibuprofen ok", ADULTS, []),
        ("breastfeeding, is ibuprofen ok", "Do not breastfeed while taking it.", []),
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
    ("question", "source", "missing"),
    [
        ("is tylenol pm ok in pregnancy", "Paracetamol is safe.", ["diphenhydramine"]),
        ("is tylenol pm ok in pregnancy", "Diphenhydramine makes drowsy.", ["paracetamol"]),
        ("is tylenol pm ok", "Acetaminophen with Benadryl is sold for the night.", []),
        ("is tylenol pm ok", "Tylenol PM should not be taken every night.", []),
        ("is tylenol ok", "Ibuprofen eases pain.", []),
        ("sudafed pe and blood pressure", "Decongestants raise it.", []),
        ("sudafed pe and blood pressure", "Ibuprofen raises it.", ["phenylephrine"]),
    ],
)
def test_all_that_a_product_contains_must_be_spoken_of(
    question: str, source: str, missing: list[str]
) -> None:
    assert unmentioned_contents(question, [source]) == missing
