"""What denies a sentence by a detail, and what is about something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.checking.differing import differs_in_detail


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("People normally have 46 chromosomes.", "People normally have 138 chromosomes."),
        ("Take 5 mg a day.", "Take 50 mg a day."),
        ("It is safe in pregnancy.", "It is not safe in pregnancy."),
        ("Aspirin raises the risk of bleeding.", "Aspirin lowers the risk of bleeding."),
        ("Honey calms a cough.", "Honey does not calm a cough."),
        ("It affects 1 in 5,000 people.", "It affects 3 in 5,000 people."),
    ],
)
def test_a_detail_denies(one: str, other: str) -> None:
    assert differs_in_detail(one, other)
    assert differs_in_detail(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Asthma is common.", "Asthma is common."),
        ("Type 1 diabetes begins early.", "Type 2 diabetes begins early."),
        ("The gene lies on chromosome 7.", "The gene lies on chromosome 11."),
        ("About 5 in 100 men have it.", "About 9 in 100 women have it."),
        ("Symptoms begin at 5 years.", "Most people recover in 10 days."),
        ("Fever lasts 5 days.", "Cough lasts 9 days."),
        ("Rest.", "Do not rest."),
    ],
)
def test_another_thing_does_not(one: str, other: str) -> None:
    assert not differs_in_detail(one, other)
    assert not differs_in_detail(other, one)


@given(st.text(max_size=80))
def test_a_sentence_does_not_deny_itself(text: str) -> None:
    assert not differs_in_detail(text, text)
