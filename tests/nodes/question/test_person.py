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


PM = "tylenol pm"
EXTRA = "paracetamol, aspirin and caffeine"


@pytest.mark.parametrize(
    ("question", "source", "missing"),
    [
        ("is tylenol pm ok", "Paracetamol is safe.", {PM: ["diphenhydramine"]}),
        ("is tylenol pm ok", "Diphenhydramine makes drowsy.", {PM: ["paracetamol"]}),
        ("is tylenol pm ok", "Acetaminophen with Benadryl is sold for the night.", {}),
        ("is tylenol pm ok", "Take plain paracetamol, not Tylenol PM.", {PM: ["diphenhydramine"]}),
        ("is tylenol ok", "Ibuprofen eases pain.", {}),
        ("is sudafed pe ok", "Pseudoephedrine is not.", {"sudafed pe": ["phenylephrine"]}),
        ("is sudafed pe ok", "Decongestants raise blood pressure.", {}),
        ("is tylenol arthritis ok", "Paracetamol is safe.", {}),
        ("is imodium plus ok", "Loperamide and simethicone are.", {}),
        (f"is {EXTRA} ok", "Paracetamol is safe.", {EXTRA: ["aspirin", "caffeine"]}),
        ("aleve pm and tylenol pm", "Diphenhydramine; acetaminophen.", {"aleve pm": ["naproxen"]}),
        ("i took tylenol. cold hands since", "Ibuprofen eases pain.", {}),
    ],
)
def test_all_that_a_product_contains_must_be_spoken_of(
    question: str, source: str, missing: dict[str, list[str]]
) -> None:
    assert unmentioned_contents(question, [source]) == missing


@pytest.mark.parametrize(
    "counted", ["weeks after surgery", "hours ago", "days in a row", "times a day", "or 4"]
)
def test_a_number_that_counts_is_no_part_of_a_name(counted: str) -> None:
    assert unmentioned_contents(f"can i take tylenol 3 {counted}", ["Rest."]) == {}
    assert "tylenol 3" in unmentioned_contents("can i take tylenol 3", ["Rest."])
