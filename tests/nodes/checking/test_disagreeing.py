"""What of other sources is shown with a statement on a dose, or on stopping a treatment."""

import pytest

from nodes.checking.disagreeing import disagreeing_evidence
from tests.nodes.pages import page_on_topic


def against(statement: str, other: str) -> bool:
    found = disagreeing_evidence(
        statement, page_on_topic("one", statement), [page_on_topic("two", other)]
    )
    return found is not None


@pytest.mark.parametrize(
    ("statement", "other"),
    [
        ("Asthma is treated by stopping all inhalers at once.", "Asthma is treated with inhalers."),
        ("Stop taking insulin.", "People with type 1 diabetes need insulin every day."),
        ("Stop using your inhalers today.", "Do not stop using your inhaler."),
        ("Take ibuprofen 800 mg four times a day.", "Take ibuprofen 200 mg three times a day."),
        ("Adults take 1 g of ibuprofen.", "Adults take 200 mg of ibuprofen."),
        ("Take ibuprofen 3 g a day.", "The maximum of ibuprofen is 1,200 mg a day."),
        ("Take 40 mg of zavastatin a day.", "The dose of zavastatin is 10 mg a day."),
    ],
)
def test_what_another_record_says_otherwise_is_found(statement: str, other: str) -> None:
    assert against(statement, other)


@pytest.mark.parametrize(
    ("statement", "other"),
    [
        ("Take at most 4,000 IU of vitamin D a day.", "Take 400 IU of vitamin E a day."),
        # What is stopped on a condition, or is no treatment, is not stopped against anybody.
        ("Stop taking your inhaler if you get a rash.", "Asthma is treated with inhalers."),
        ("Do not stop taking insulin.", "People with type 1 diabetes need insulin every day."),
        ("Stop smoking.", "Nicotine patches help people who smoke."),
        ("Beta cells stop producing insulin.", "The body needs insulin."),
        ("Treatment may be stopping the medicine.", "This medicine helps."),
        ("Stop taking insulin.", "Insulin should be stopped."),
        # The same dose, less than the most, another purpose, another age, a first dose.
        ("Take ibuprofen 400 mg three times a day.", "Take ibuprofen 1,200 mg a day."),
        ("Take ibuprofen 200 mg a day.", "The maximum of ibuprofen is 2,400 mg a day."),
        ("Take 75 mg of aspirin a day to prevent clots.", "Take 900 mg of aspirin a day for pain."),
        ("Adults take 1 g of ibuprofen.", "Children take 100 mg of ibuprofen."),
        ("Start with 500 mg of metformin a day.", "Take 2 g of metformin a day."),
        ("Take 2 g of metformin a day.", "Take 20 mg of atorvastatin a day."),
        # What is not safe to quote is shown against nothing.
        ("Take paracetamol 1 g four times a day.", "Take paracetamol 50 g a day."),
    ],
)
def test_what_does_not_disagree_is_not_shown(statement: str, other: str) -> None:
    assert not against(statement, other)


def test_a_record_does_not_disagree_with_itself() -> None:
    text = "Take ibuprofen 800 mg four times a day. Take ibuprofen 200 mg three times a day."
    passage = page_on_topic("one", text)
    assert (
        disagreeing_evidence("Take ibuprofen 800 mg four times a day.", passage, [passage]) is None
    )
